import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { printClosingLine } from '../helpers/suite-options.js';
import type { AddressResult, AddressRun } from './addresses-run.js';
import { canIsolateNetwork, runIsolated } from './isolated-network.js';

const test = suite<{ run: AddressRun }>('hostile addresses');

test.before(async (context) => {
  context.run = await runIsolated<AddressRun>('addresses-run.js');
});
test.after(({ run }) => {
  if (run === undefined) return;
  const groups = [...new Set(run.results.map(({ group }) => group))];
  const counts = groups.map((group) => `${group} ${inGroup(run, group).length}`);
  printClosingLine('hostile/addresses', [
    `${run.results.length} cases (${counts.join(', ')})`,
    `${run.notificationErrors.length} rejected notifications`,
    `${run.connections.length} connections to addresses that are not public`,
  ]);
});

const outcome = ({ url, status, classes, errors }: AddressResult) =>
  `${url}: ${status} ${classes.join()} ${errors}`;
const inGroup = (run: AddressRun, ...groups: readonly AddressResult['group'][]) =>
  run.results.filter(({ group }) => groups.includes(group));
const isForbidden = ({ classes, errors }: AddressResult) =>
  classes.length > 0 && (classes.every((one) => one === 'ForbiddenAddressError') || namesReason.test(errors));
/** A watermark or a key that cannot be fetched has a class of its own, with this reason. */
const namesReason =
  /(?:is|resolves to) (?:an address that is not public|the address of a cloud metadata service)/;
/** A create may also be rejected because the URL is not valid. */
const isInvalid = ({ status }: AddressResult) => status === 422;
const unexpected = (results: readonly AddressResult[], isExpected: (result: AddressResult) => boolean) =>
  results.filter((result) => !isExpected(result)).map(outcome);

if (canIsolateNetwork()) {
  test('addresses that are public are connected to', ({ run }) => {
    assert.equal(
      unexpected(inGroup(run, 'control'), ({ status, classes }) => status === 201 && classes.length === 0),
      [],
    );
  });

  test('no connection is made to an address that is not public, whatever the case', ({ run }) => {
    assert.equal(run.connections, []);
  });

  test('every spelling of an address that is not public is rejected as an input', ({ run }) => {
    const results = inGroup(run, 'input');
    assert.equal(
      unexpected(results, (result) => isForbidden(result) || isInvalid(result)),
      [],
    );
    assert.ok(results.filter(isForbidden).length > results.length * 0.8, 'most spellings are valid URLs');
  });

  test('a redirect to an address that is not public, or to another scheme, is not followed', ({ run }) => {
    const isRejected = ({ classes }: AddressResult) =>
      ['ForbiddenAddressError', 'DownloadFailureError'].includes(classes.join());
    assert.equal(unexpected(inGroup(run, 'redirect'), isRejected), []);
  });

  test('a name that resolves to an address that is not public, at first or later, is rejected', ({ run }) => {
    assert.equal(
      unexpected(inGroup(run, 'name'), (result) => isForbidden(result)),
      [],
    );
  });

  test('URLs that parsers read differently lead to no address that is not public', ({ run }) => {
    const leadsToFilm = ({ url, classes }: AddressResult) =>
      classes.length === 0 && url.includes('8.8.8.8:8080/film.mp4');
    assert.equal(
      unexpected(
        inGroup(run, 'ambiguous'),
        (result) => isInvalid(result) || result.classes.length > 0 || leadsToFilm(result),
      ),
      [],
    );
  });

  test('every setting of an output that names a host is rejected', ({ run }) => {
    assert.equal(
      unexpected(inGroup(run, 'field'), (result) => isForbidden(result) || isInvalid(result)),
      [],
    );
  });

  test('a data connection of FTP goes only to the host of the control connection', ({ run }) => {
    assert.ok(inGroup(run, 'ftp').length > 3);
    // The servers named port 22 of the loopback, among others.
    assert.ok(run.publicPorts.includes(22));
  });

  test('storage services whose hosts resolve to addresses that are not public are rejected', ({ run }) => {
    assert.equal(unexpected(inGroup(run, 'storage'), isForbidden), []);
  });

  test('notifications are not sent to addresses that are not public', ({ run }) => {
    for (const line of run.notificationErrors) assert.match(line, /not public|metadata service/);
    assert.ok(run.notificationErrors.length > 20);
    assert.ok(run.publicPaths.includes('/notified'));
  });
}

test.run();
