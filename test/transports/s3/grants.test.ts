import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileAccess, Grant } from '../../../daemon/jobs/file-access.js';
import { grantsFor } from '../../../daemon/transports/s3/grants.js';

const everybody = 'http://acs.amazonaws.com/groups/global/AllUsers';
const access = (isPublic: boolean, ...grants: readonly Grant[]): FileAccess => ({ isPublic, grants });

const cases: readonly (readonly [what: string, access: FileAccess | undefined, grants: object])[] = [
  ['no grants', undefined, { ACL: 'bucket-owner-full-control' }],
  ['an empty list', access(false), { ACL: 'bucket-owner-full-control' }],
  ['public', access(true), { ACL: 'public-read' }],
  [
    'an id, an e-mail address and a group',
    access(
      false,
      { grantee: 'abc123', permissions: ['READ'] },
      { grantee: 'me@example.com', permissions: ['READ', 'FULL_CONTROL'] },
      { grantee: everybody, permissions: ['READ'] },
    ),
    {
      GrantRead: `id="abc123",emailAddress="me@example.com",uri="${everybody}"`,
      GrantFullControl: 'emailAddress="me@example.com"',
    },
  ],
  [
    'a grant, which overrides public',
    access(true, { grantee: 'abc123', permissions: ['READ'] }),
    { GrantRead: 'id="abc123"' },
  ],
  [
    'access to the access control list',
    access(false, { grantee: 'abc123', permissions: ['READ_ACP', 'WRITE_ACP'] }),
    { GrantReadACP: 'id="abc123"', GrantWriteACP: 'id="abc123"' },
  ],
  [
    'only WRITE, which objects do not support',
    access(false, { grantee: 'abc123', permissions: ['WRITE'] }),
    { ACL: 'bucket-owner-full-control' },
  ],
  [
    'a name that would inject another grant',
    access(false, { grantee: 'a", uri="b\r\nx: y', permissions: ['READ'] }),
    { GrantRead: 'id="a, uri=bx: y"' },
  ],
];

for (const [what, given, grants] of cases) {
  test(`the headers for ${what} are correct`, () => assert.equal(grantsFor(given), grants));
}

test('a canned ACL of the headers replaces the default', () => {
  assert.equal(grantsFor(undefined, { 'x-amz-acl': 'private' }), { ACL: 'private' });
  assert.equal(grantsFor(access(false), { 'x-goog-acl': 'project-private' }), { ACL: 'project-private' });
});

test.run();
