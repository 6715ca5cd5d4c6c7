/** @jsxImportSource hono/jsx */

/** The form for a key. */
export function SignIn({
  root,
  problem,
  isReadable,
  to,
}: {
  readonly root: string;
  /** Why the last attempt failed; null at the first. */
  readonly problem: string | null;
  /** Whether others on the network can read what is sent. */
  readonly isReadable: boolean;
  /** The address below `/ui/` that was asked for. */
  readonly to: string;
}) {
  return (
    <form class="sign-in" method="post" action={`${root}sign-in`}>
      <h1>Sign in to venc</h1>
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {isReadable ? <p class="warning">{readableWarning}</p> : null}
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        autocomplete="current-password"
        spellcheck={false}
        required
        autofocus
      />
      <input type="hidden" name="to" value={to} />
      <button type="submit">Sign in</button>
      <p class="hint">
        On the machine of the daemon, <code>venc open</code> signs in without a key.{' '}
        <code>venc keys create</code> makes a key, with <code>--viewer</code> one that changes nothing.
      </p>
    </form>
  );
}

const readableWarning =
  'This connection is not encrypted: others on the network can read the key and the session. Use HTTPS, or a tunnel such as ssh -L.';

/** What the link of `venc open` shows: looking at it spends nothing. */
export function OpenLink({ root, code }: { readonly root: string; readonly code: string }) {
  return (
    <form class="sign-in" method="post" action={`${root}open`}>
      <h1>Sign in to venc</h1>
      <input type="hidden" name="code" value={code} />
      <button type="submit" autofocus>
        Sign in
      </button>
      <p class="hint">The link works once, within a minute.</p>
    </form>
  );
}

/** What a link of another site leads to: the browser sends the session only along with a link of this page. */
export function Continue({ to }: { readonly to: string }) {
  return (
    <section class="sign-in">
      <h1>venc</h1>
      <p>
        <a href={`./${to.split('/').at(-1) ?? ''}`} autofocus>
          Continue
        </a>
      </p>
    </section>
  );
}

/** A problem that ends a request, and where to go. */
export function Problem({
  root,
  title,
  messages,
}: {
  readonly root: string;
  readonly title: string;
  readonly messages: readonly string[];
}) {
  return (
    <section class="problem-page">
      <h1>{title}</h1>
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
      <p>
        <a href={root}>To the queue</a>
      </p>
    </section>
  );
}
