/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';

/** The views that the navigation leads to, with their paths below `/ui/`. */
export const viewPaths = { queue: '', submit: 'submit', machine: 'machine', settings: 'settings' } as const;
/** A view in the navigation. */
export type ViewName = keyof typeof viewPaths;

const viewTitles: Readonly<Record<ViewName, string>> = {
  queue: 'Queue',
  submit: 'Submit',
  machine: 'Machine',
  settings: 'Settings',
};

/** What every document of the page has. */
export interface Frame {
  readonly title: string;
  /** The way from the address of the document to `/ui/`, such as `../`; links are relative to it. */
  readonly root: string;
  /** The addresses of script and style, relative to `root`. */
  readonly assets: { readonly script: string; readonly style: string; readonly player: string };
  /** Who is signed in; null for the documents of the sign-in. */
  readonly visitor: {
    readonly account: string;
    readonly canChange: boolean;
    readonly hasSession: boolean;
  } | null;
  /** The view for the script, and what it begins with; null for a document without one. */
  readonly live: { readonly name: string; readonly data: object } | null;
  readonly current?: ViewName;
}

/** A whole document. */
export function Layout({ frame, children }: { readonly frame: Frame; readonly children?: Child }) {
  const { title, root, assets, visitor, live, current } = frame;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} · venc</title>
        <link rel="stylesheet" href={root + assets.style} />
        <link rel="icon" href={`${root}assets/icon.svg`} />
        {live === null ? null : <script type="module" src={root + assets.script} />}
      </head>
      <body
        data-root={root}
        data-view={live?.name}
        data-player={assets.player}
        data-can-change={String(visitor?.canChange ?? false)}
      >
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {visitor === null ? null : (
          <header>
            <a class="brand" href={root}>
              venc
            </a>
            <nav aria-label="Views">
              {(Object.keys(viewPaths) as ViewName[]).map((name) => (
                <a
                  key={name}
                  href={root + viewPaths[name]}
                  aria-current={name === current ? 'page' : undefined}
                >
                  {viewTitles[name]}
                </a>
              ))}
            </nav>
            <div class="visitor">
              <span>
                {visitor.account}
                {visitor.canChange ? '' : ' (viewer)'}
              </span>
              {visitor.hasSession ? (
                <form method="post" action={`${root}sign-out`}>
                  <button type="submit">Sign out</button>
                </form>
              ) : null}
            </div>
          </header>
        )}
        <p id="connection" role="status" hidden></p>
        <main id="main" tabindex={-1}>
          {children}
        </main>
        {live === null ? null : <DataOf value={live.data} />}
      </body>
    </html>
  );
}

/** What the script begins with. It is no script itself: a browser does not run it. */
function DataOf({ value }: { readonly value: object }) {
  const json = JSON.stringify(value).replace(/</g, '\\u003c');
  // biome-ignore lint/security/noDangerouslySetInnerHtml: without "<" no text can end the element.
  return <script type="application/json" id="data" dangerouslySetInnerHTML={{ __html: json }} />;
}
