import { createHmac } from 'node:crypto';
import { jobNotice, outputNotice } from '../../src/shared/records/notices.js';
import { toXml } from '../../src/shared/to-xml.js';
import type { Job } from '../jobs/job.js';
import type { Notice } from '../jobs/notification.js';
import { noticeRecord } from '../jobs/notification-record.js';
import type { WebhookRequest } from './webhook-client.js';

/**
 * A notice as it is posted at this moment: what it tells in the form that was asked for, signed as the Standard Webhooks specification
 * has it. `secret` is the account's, `whsec_` and base64.
 */
export function letterFor(job: Job, notice: Notice, secret: string, now: Date): WebhookRequest {
  const { url, format, headers } = notice.target;
  const record = noticeRecord(job, notice);
  const isXml = format === 'xml';
  const body = isXml
    ? toXml(record, notice.outputId === null ? jobNotice : outputNotice)
    : JSON.stringify(record);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const own = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text] as const);
  return {
    url,
    headers: {
      ...Object.fromEntries(own),
      'content-type': `application/${isXml ? 'xml' : 'json'}; charset=utf-8`,
      'webhook-id': notice.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature(secret, `${notice.id}.${timestamp}.${body}`)}`,
    },
    body,
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(signed, 'utf8').digest('base64');
}
