import * as assert from 'uvu/assert';
import { type ResponseName, responses } from '../../src/shared/records/answers.js';
import { daemonSuite } from '../helpers/daemon.js';
import { readByTypes } from '../shared/read-by-types.js';
import { input, request } from './xml-request.js';

const test = daemonSuite('XML responses', { jobs: 0 });

const inXml = '<input>http://example.com/in.mp4?a=1&amp;b=2</input>';
const job = request(
  inXml,
  '<pass_through> &lt;a&gt;&#13; </pass_through><output><label>ä &amp; 日</label></output>',
);
const post = (body: string, type = 'application/xml'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'Content-Type': type },
});

/** Parses an XML response by its type attributes. */
async function readXml(response: Response, answer: ResponseName): Promise<unknown> {
  assert.is(response.headers.get('content-type'), 'application/xml; charset=utf-8');
  return readByTypes(await response.text(), responses[answer]);
}

test('a job is created in XML, and shown in XML as in JSON', async ({ daemon }) => {
  const response = await daemon.request('/v2/jobs?format=xml', post(job));
  assert.is(response.status, 201);
  const created = (await readXml(response, 'created')) as { id: string; outputs: { id: number }[] };
  const paths: readonly (readonly [string, ResponseName])[] = [
    [`/v2/jobs/${created.id}`, 'job'],
    ['/v2/jobs', 'jobs'],
    [`/v2/jobs/${created.id}/progress`, 'jobProgress'],
    [`/v2/inputs/${Number(created.id) + 1}`, 'inputDetails'],
    [`/v2/inputs/${Number(created.id) + 1}/progress`, 'inputProgress'],
    [`/v2/outputs/${created.outputs[0]?.id}`, 'outputDetails'],
    [`/v2/outputs/${created.outputs[0]?.id}/progress`, 'outputProgress'],
  ];
  for (const [path, answer] of paths) {
    const json = await daemon.read(`${path}.json`);
    assert.equal(await readXml(await daemon.request(`${path}.xml`), answer), json, path);
  }
  const { job: reported } = await daemon.read<{ job: { pass_through: string } }>(`/v2/jobs/${created.id}`);
  assert.is(reported.pass_through, ' <a>\r ');
});

test('the key may be in an XML body, under any content type', async ({ daemon }) => {
  const body = request(`<api_key>\n${daemon.key}\n</api_key>`, inXml);
  for (const type of ['application/xml', 'application/x-www-form-urlencoded']) {
    assert.is((await fetch(`${daemon.url}/v2/jobs`, post(body, type))).status, 201);
  }
  const id = await daemon.create({ input });
  const cancel = { ...post(body), method: 'PUT' };
  assert.is((await fetch(`${daemon.url}/v2/jobs/${id}/cancel.xml`, cancel)).status, 204);
});

test('errors in XML requests are returned in the requested format', async ({ daemon }) => {
  const rows: readonly (readonly [string, number])[] = [
    ['<!DOCTYPE a><api-request/>', 400],
    ['<api-request', 400],
    [request('<input>nonsense</input>', '<output><speed>9</speed></output>'), 422],
    ['x'.repeat(8 * 1024 * 1024), 413],
  ];
  for (const [body, status] of rows) {
    const inJson = await daemon.request('/v2/jobs', post(body));
    const asXml = await daemon.request('/v2/jobs.xml', post(body));
    assert.equal([inJson.status, asXml.status], [status, status]);
    assert.equal(await readXml(asXml, 'errors'), await inJson.json());
  }
});

test('warnings are an array of elements', async ({ daemon }) => {
  const response = await daemon.request('/v2/jobs.xml', post(request(inXml, '<colour>red</colour>')));
  assert.is(response.status, 201);
  const text = await response.text();
  assert.match(
    text.replaceAll(/>\s+</g, '><'),
    '<warnings type="array"><warning><field>colour</field><message>is not known and was ignored</message></warning></warnings>',
  );
});

test.run();
