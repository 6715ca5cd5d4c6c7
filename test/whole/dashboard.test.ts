import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { readSamples, type Sample, samplesOf } from '../helpers/prometheus.js';
import { type ParsedQuery, parseQuery } from '../helpers/promql.js';
import { serveFolder } from '../helpers/servers/file-server.js';
import { startWebhookEndpoint } from '../helpers/servers/webhook-endpoint.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const dashboard: Dashboard = JSON.parse(readFileSync('contrib/grafana-dashboard.json', 'utf8'));
const alerts = readFileSync('contrib/prometheus-alerts.yml', 'utf8');
/** Labels that Prometheus adds to every series. */
const addedLabels = ['instance', 'job'];

const test = suite<{ scrape: string; samples: readonly Sample[] }>('dashboard and alerts');

test.before(async (context) => {
  const files = await serveFolder(dirname(await media('clip.mp4')));
  const endpoint = await startWebhookEndpoint();
  const daemon = await startTestDaemon();
  const output = { width: 64, notifications: [endpoint.url('/hook')] };
  const done = await daemon.create({ input: `${files.url}/clip.mp4`, outputs: [output] });
  const failed = await daemon.create({ input: `${files.url}/missing.mp4`, outputs: [{}] });
  const states = [(await daemon.waitForJob(done)).state, (await daemon.waitForJob(failed)).state];
  assert.equal(states, ['finished', 'failed']);
  const scrape = async () => (await fetch(`${daemon.url}/metrics`)).text();
  const delivered = 'venc_notification_attempts_total{kind="webhook",result="delivered"} 1';
  await waitUntil('the notification is counted', async () => (await scrape()).includes(delivered));
  context.scrape = await scrape();
  context.samples = readSamples(context.scrape);
  await daemon.stop();
  await endpoint.close();
  await files.close();
});

/** What of a query does not exist in a scrape. */
function findErrors(query: ParsedQuery, samples: readonly Sample[]): readonly string[] {
  const errors: string[] = [];
  const labels = new Set(addedLabels);
  for (const { metric, matchers } of query.selectors) {
    // Prometheus adds it for each scrape.
    const found = metric === 'up' ? [] : samplesOf(samples, metric);
    if (found.length === 0 && metric !== 'up') errors.push(`there is no metric ${metric}`);
    for (const name of found.flatMap((sample) => Object.keys(sample.labels))) labels.add(name);
    for (const { label, values } of matchers) {
      if (addedLabels.includes(label)) continue;
      const known = new Set(found.map((sample) => sample.labels[label]));
      if (known.has(undefined)) errors.push(`${metric} has no label ${label}`);
      const isStatus = label === 'status';
      for (const value of values)
        if (!isStatus && !known.has(value)) errors.push(`${metric} has no ${label}="${value}"`);
    }
  }
  for (const label of query.groupLabels)
    if (!labels.has(label)) errors.push(`no metric has the label ${label}`);
  return errors;
}

for (const { title, targets = [] } of dashboard.panels) {
  for (const { expr, legendFormat } of targets) {
    test(`the panel "${title}" queries what a daemon reports: ${legendFormat}`, ({ samples }) => {
      const query = parseQuery(expr);
      assert.ok(query.selectors.length > 0, expr);
      assert.equal(findErrors(query, samples), [], expr);
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const available = [...query.groupLabels, ...addedLabels];
      assert.ok(
        legend.every((label) => available.includes(label)),
        legendFormat,
      );
    });
  }
}

const rules = [...alerts.matchAll(/- alert: (\w+)\n\s+expr: (?:\|\n((?: {10,}.*\n)+)|(.*))/g)].map(
  ([, name = '', block = '', line = '']) => ({ name, expr: block === '' ? line : block }),
);

for (const { name, expr } of rules) {
  test(`the alert ${name} queries what a daemon reports`, ({ samples }) => {
    assert.equal(findErrors(parseQuery(expr), samples), [], expr);
  });
}

test('every alert is checked, and has a severity and a summary', () => {
  assert.is(rules.length, alerts.match(/- alert:/g)?.length);
  assert.is(alerts.match(/severity: (critical|warning) /g)?.length, rules.length);
  assert.is(alerts.match(/summary: /g)?.length, rules.length);
});

test('a query of a metric, label or value that does not exist is found', ({ samples }) => {
  const errorsOf = (expr: string) => findErrors(parseQuery(expr), samples).length;
  assert.is(errorsOf('sum by (state) (venc_jobs{state="waiting"})'), 0);
  assert.is(errorsOf('sum by (state) (venc_job{state="waiting"})'), 3);
  assert.is(errorsOf('venc_jobs{file="input"}'), 2);
  assert.is(errorsOf('venc_jobs{state=~"waiting|stuck"}'), 1);
  assert.is(errorsOf('sum by (codec) (venc_jobs)'), 1);
  assert.throws(() => parseQuery('summ(venc_jobs)'), /no known function/);
});

test('every panel has a description and the data source of the variable, and panels do not overlap', () => {
  const cells = new Set<string>();
  for (const { title, type, description = '', datasource, gridPos } of dashboard.panels) {
    if (type !== 'row') {
      assert.match(description, /\.$/, title);
      assert.is(datasource?.uid, `\${datasource}`, title);
    }
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.not(cells.has(`${x} ${y}`), title);
        assert.ok(x < 24, title);
        cells.add(`${x} ${y}`);
      }
    }
  }
  const names = dashboard.templating.list.map(({ name }) => name);
  assert.equal(names, ['datasource', 'instance']);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

// Debian: apt-get install prometheus.
(hasPromtool ? test : test.skip)('promtool accepts the scrape and the rules', ({ scrape }) => {
  execFileSync('promtool', ['check', 'metrics'], { input: scrape });
  execFileSync('promtool', ['check', 'rules', 'contrib/prometheus-alerts.yml']);
});

test('the metrics have what happened', ({ samples }) => {
  const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samplesOf(samples, name, labels)[0]?.value ?? 0;
  assert.is(value('venc_jobs', { state: 'finished' }), 1);
  assert.is(value('venc_jobs_ended_total', { state: 'failed' }), 1);
  assert.is(value('venc_file_failures_total', { file: 'input', error_class: 'FileNotFoundError' }), 1);
  assert.is(value('venc_job_wait_seconds_count'), 2);
  assert.ok(value('venc_downloaded_bytes_total', { scheme: 'http' }) > 1000);
  assert.ok(value('venc_uploaded_bytes_total', { scheme: 'hosted' }) > 500);
  assert.ok(value('venc_encoded_media_seconds_total') > 0.5);
  assert.ok(value('venc_encode_seconds_total') > 0);
  assert.is(value('venc_encode_speed_ratio_count'), 1);
  for (const stage of ['download', 'inspect', 'plan', 'encode', 'verify', 'deliver'])
    assert.ok(value('venc_stage_duration_seconds_count', { stage }) >= 1, stage);
  assert.is(value('venc_http_requests_total', { route: 'createJob', status: '201' }), 2);
  assert.is(value('venc_notification_attempts_total', { kind: 'webhook', result: 'delivered' }), 1);
  assert.is(value('venc_notifications_waiting'), 0);
});

test.run();
