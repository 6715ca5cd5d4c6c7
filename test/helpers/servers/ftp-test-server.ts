import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** How an FTP server differs from a usual one. */
export interface FtpOverrides {
  /** The address that it listens at; the loopback by default. */
  readonly host?: string;
  /** Complete responses by command, instead of the usual ones; null for no response. */
  readonly answers?: Readonly<Record<string, string | null>>;
  /** The response to PASV for the listening port. EPSV is then not supported. */
  readonly pasv?: (port: number) => string;
  /** Sends a file from an offset and ends the connection. `attempt` counts transfers from 0. */
  readonly send?: (data: Socket, bytes: Buffer, attempt: number, control: Socket) => void;
  /** Writes a response to the control connection. */
  readonly say?: (control: Socket, text: string) => void;
  /** Whether a command, with its argument, gets a permanent error. */
  readonly rejects?: (line: string) => boolean;
  /** Whether a rename cannot replace an existing file. */
  readonly keepsNames?: boolean;
}

/** A small FTP server with files in memory. */
export interface FtpTestServer {
  readonly port: number;
  readonly files: Map<string, Buffer>;
  /** Every received command, without passwords. */
  readonly commands: string[];
  /** Number of open connections. */
  readonly openCount: () => number;
  close(): Promise<void>;
}

/** Starts a server. Paths are absolute, `/film.mp4`; any user and password is accepted. */
export async function startFtpTestServer(overrides: FtpOverrides = {}): Promise<FtpTestServer> {
  const files = new Map<string, Buffer>();
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let attempts = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    return socket;
  };
  const serve = (control: Socket) => {
    const say = (text: string) =>
      overrides.say === undefined ? control.write(`${text}\r\n`) : overrides.say(control, `${text}\r\n`);
    let data: Promise<Socket> = Promise.reject(new Error('no data connection'));
    data.catch(() => undefined);
    let rest = 0;
    let from = '';
    const passive = async (): Promise<number> => {
      const server = await listening((socket) => taken(keep(socket)), overrides.host);
      let taken: (socket: Socket) => void = () => undefined;
      data = new Promise((resolve) => {
        taken = (socket) => {
          server.close();
          resolve(socket);
        };
      });
      control.once('close', () => server.close());
      return portOf(server);
    };
    const commandHandlers: Readonly<Record<string, (path: string) => void | Promise<void>>> = {
      USER: () => void say('331 password'),
      PASS: () => void say('230 in'),
      PWD: () => void say('257 "/" is it'),
      TYPE: () => void say('200 fine'),
      EPSV: async () =>
        void say(overrides.pasv === undefined ? `229 there (|||${await passive()}|)` : '502 what'),
      PASV: async () => {
        const port = await passive();
        say(overrides.pasv?.(port) ?? `227 there (127,0,0,1,${port >> 8},${port & 255})`);
      },
      SIZE: (path) => void say(files.has(path) ? `213 ${files.get(path)?.byteLength}` : '550 no such file'),
      MDTM: (path) => void say(files.has(path) ? '213 20260101000000' : '550 no such file'),
      REST: (offset) => {
        rest = Number(offset);
        say('350 go on');
      },
      CWD: (path) => void say(path === '/' ? '250 there' : '550 no'),
      LIST: async () => {
        const socket = await data;
        say('150 here');
        for (const [path, { byteLength }] of files)
          socket.write(`-rw-r--r-- 1 a a ${byteLength} Jan 01 00:00 ${path.slice(1)}\r\n`);
        socket.end(() => say('226 done'));
      },
      RETR: async (path) => {
        const bytes = files.get(path);
        if (bytes === undefined) return void say('550 no such file');
        const socket = await data;
        say('150 here');
        const part = bytes.subarray(rest);
        rest = 0;
        if (overrides.send !== undefined) {
          overrides.send(socket, part, attempts, control);
          attempts += 1;
        } else socket.end(part, () => say('226 done'));
      },
      STOR: async (path) => {
        const chunks = [(files.get(path) ?? Buffer.alloc(0)).subarray(0, rest)];
        rest = 0;
        const socket = await data;
        say('150 go');
        for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
        files.set(path, Buffer.concat(chunks));
        say('226 done');
      },
      RNFR: (path) => {
        from = path;
        say('350 and to');
      },
      RNTO: (path) => {
        if (overrides.keepsNames === true && files.has(path)) return void say('550 there is one');
        files.set(path, files.get(from) ?? Buffer.alloc(0));
        files.delete(from);
        say('250 done');
      },
      DELE: (path) => void say(files.delete(path) ? '250 done' : '550 no such file'),
    };
    say('220 odd');
    let text = '';
    control.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        const [, verb = '', argument = ''] = /^(\w+) ?(.*)$/s.exec(line) ?? [];
        commands.push(verb === 'PASS' ? verb : line);
        const answer = overrides.rejects?.(line) ? '553 not allowed' : overrides.answers?.[verb];
        const handler = commandHandlers[verb];
        if (answer === null) continue;
        if (answer !== undefined) say(answer);
        else if (handler === undefined) say('502 what');
        else Promise.resolve(handler(argument)).catch(() => undefined);
      }
    });
  };
  const server = await listening((socket) => serve(keep(socket)), overrides.host);
  return {
    port: portOf(server),
    files,
    commands,
    openCount: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function listening(take: (socket: Socket) => void, host = '127.0.0.1'): Promise<Server> {
  const server = createServer(take);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
