/** @jsxImportSource hono/jsx */
import { listPresets } from '../../actions/presets.js';
import { SubmitForm, ViewerSubmit } from '../views/submit.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** `/ui/submit`: the form for new jobs. */
export async function submitDocument({ holder }: DocumentRequest): Promise<PageDocument> {
  const { account, kind } = holder;
  const frame = { title: 'Submit', current: 'submit' } as const;
  if (kind !== 'full') return { ...frame, live: null, content: <ViewerSubmit /> };
  return {
    ...frame,
    live: { name: 'submit', data: { account: account.name } },
    content: <SubmitForm presets={listPresets(account).presets} />,
  };
}
