/** Users of tempauth: `[account, user, key, groups]`. The second one may log in but has no permissions. */
export const swiftUsers = [
  ['test', 'tester', 'testing', '.admin'],
  ['test', 'reader', 'hunter2secret', ''],
] as const;

/** The filters of the proxy in order, with their settings. */
const filters: Readonly<Record<string, readonly string[]>> = {
  catch_errors: [],
  gatekeeper: [],
  healthcheck: [],
  cache: [],
  listing_formats: [],
  bulk: [],
  s3api: ['s3_acl = true', 'allow_no_owner = true', 'dns_compliant_bucket_names = false'],
  tempauth: swiftUsers.map(([account, user, key, groups]) => `user_${account}_${user} = ${key} ${groups}`),
  copy: [],
  container_quotas: [],
  account_quotas: [],
  slo: [],
  dlo: [],
  versioned_writes: [],
};

/** The configurations of a cluster in a folder, as `[file name, text]`. The launcher adds the filter `cache`. */
export function swiftConfigurations(folder: string, user: string): readonly (readonly [string, string])[] {
  const common = [
    '[DEFAULT]',
    `swift_dir = ${folder}`,
    `devices = ${folder}/disks`,
    `user = ${user}`,
    'mount_check = false',
    'disable_fallocate = true',
    // Nothing listens there, because there is no system log.
    `log_address = ${folder}/no-log`,
  ];
  const server = (name: string, egg: string, settings: readonly string[] = []) =>
    [
      ...common,
      '[pipeline:main]',
      `pipeline = ${name}-server`,
      `[app:${name}-server]`,
      `use = egg:swift#${egg}`,
      ...settings,
    ].join('\n');
  // By default it answers after a second, even if the listing of the container does not show the change yet,
  // and gives the listing up after three. On a busy machine, the container server may take longer.
  const untilListed = ['conn_timeout = 10', 'node_timeout = 60', 'container_update_timeout = 60'];
  const proxy = [
    ...common,
    '[pipeline:main]',
    `pipeline = ${Object.keys(filters).join(' ')} proxy-server`,
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    'allow_account_management = true',
    // The default of half a second to connect would cause 503 responses on a busy machine.
    'conn_timeout = 10',
    'node_timeout = 60',
    'error_suppression_limit = 1000',
    ...Object.entries(filters)
      .filter(([name]) => name !== 'cache')
      .flatMap(([name, lines]) => [`[filter:${name}]`, `use = egg:swift#${name}`, ...lines]),
    '',
  ].join('\n');
  return [
    ['swift.conf', '[swift-hash]\nswift_hash_path_prefix = venc\nswift_hash_path_suffix = test\n'],
    ['account.conf', server('account', 'account')],
    ['container.conf', server('container', 'container')],
    ['object.conf', server('object', 'mem_object', untilListed)],
    ['proxy.conf', proxy],
  ];
}
