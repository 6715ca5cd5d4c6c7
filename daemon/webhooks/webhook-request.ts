import { createHmac } from 'node:crypto';
import { jobNotificationFields, outputNotificationFields } from '../../src/shared/records/notifications.js';
import { toXml } from '../../src/shared/to-xml.js';
import type { Job, Notification } from '../jobs/job.js';
import { notificationRecord } from '../jobs/view.js';
import type { WebhookRequest } from './webhook-client.js';

/**
 * Makes the request of a notification: its current content in the requested format, signed according to the
 * Standard Webhooks specification. `secret` is that of the account, `whsec_` and base64.
 */
export function createWebhookRequest(
  job: Job,
  notification: Notification,
  secret: string,
  now: Date,
): WebhookRequest {
  const { url, format, headers } = notification.target;
  const record = notificationRecord(job, notification);
  const isXml = format === 'xml';
  const body = isXml
    ? toXml(record, notification.outputId === null ? jobNotificationFields : outputNotificationFields)
    : JSON.stringify(record);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const own = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text] as const);
  return {
    url,
    headers: {
      ...Object.fromEntries(own),
      'content-type': `application/${isXml ? 'xml' : 'json'}; charset=utf-8`,
      'webhook-id': notification.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature(secret, `${notification.id}.${timestamp}.${body}`)}`,
    },
    body,
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(signed, 'utf8').digest('base64');
}
