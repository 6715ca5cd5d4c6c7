import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { FoundProgram } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import type { PlayerName, PlayerPages } from './player-page.js';

/** What a player shows at a moment. Times are in seconds. */
export interface PlayerState {
  readonly currentTime: number;
  readonly duration: number;
  readonly buffered: readonly (readonly [start: number, end: number])[];
  /** The height of the decoded video in pixels; 0 without video. */
  readonly height: number;
  /** The number of frames that were decoded. */
  readonly frames: number;
  readonly hasEnded: boolean;
  /** The heights of the renditions. */
  readonly levels: readonly number[];
  readonly subtitles: readonly string[];
  /** The languages of the audio. */
  readonly languages: readonly string[];
  /** The language that the player has chosen; null without audio. */
  readonly spoken: string | null;
  /** The strongest frequency that is heard, in Hz; null before `listen`. */
  readonly tone: number | null;
  /** Every error of the player and its page, also those from which it recovered. */
  readonly errors: readonly string[];
}

/** A player in a page that has loaded a stream. */
export class OpenPlayer {
  readonly #page: Page;
  readonly #name: string;

  constructor(page: Page, name: string) {
    this.#page = page;
    this.#name = name;
  }

  state(): Promise<PlayerState> {
    return this.#page.evaluate('state()');
  }

  /** Plays until a condition holds. Throws the state of the player if it does not within a minute, or if an error occurs. */
  async playUntil(condition: (state: PlayerState) => boolean): Promise<PlayerState> {
    let last = await this.state();
    try {
      await waitUntil(`${this.#name} plays`, async () => {
        // A player that loads the stream meanwhile interrupts a play.
        await this.#page.evaluate('video.paused && !video.ended && void video.play().catch(() => {})');
        last = await this.state();
        if (last.errors.length > 0) throw new Error(`${this.#name} has errors.`);
        return condition(last);
      });
    } catch (cause) {
      throw new Error(`The state of ${this.#name} is ${JSON.stringify(last)}.`, { cause });
    }
    await this.#page.evaluate('video.pause()');
    return last;
  }

  /** Seeks to a time in seconds. */
  async seek(seconds: number): Promise<void> {
    await this.#page.evaluate(`video.currentTime = ${seconds}`);
  }

  /** Switches to the rendition of a height at once. */
  async forceLevel(height: number): Promise<void> {
    await this.#page.evaluate(`adapter.force(${height})`);
  }

  /** Unmutes the audio of the player, and measures it from now on. */
  async listen(): Promise<void> {
    await this.#page.evaluate('listen()');
  }

  /** Switches to the audio in a language. */
  async speak(language: string): Promise<void> {
    await this.#page.evaluate(`adapter.speak(${JSON.stringify(language)})`);
  }

  /** Saves a screenshot with the state in the folder VENC_SCREENSHOTS, if that is set. */
  async screenshot(name: string): Promise<void> {
    const folder = process.env.VENC_SCREENSHOTS;
    if (folder === undefined) return;
    await this.#page.evaluate('showState()');
    await this.#page.screenshot({ path: join(folder, `${this.#name} ${name}.png`) });
  }

  close(): Promise<void> {
    return this.#page.close();
  }
}

/** Starts the browser of the tests, Debian's Chromium. */
export async function startBrowser(
  { path: executablePath }: FoundProgram,
  more: readonly string[] = [],
): Promise<Browser> {
  // A container has no user namespaces for the sandbox; a page may play without a click.
  const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--disable-gpu', ...more];
  // Its client of PulseAudio otherwise leaves a folder behind.
  const env = { ...process.env, PULSE_RUNTIME_PATH: tempFolder() };
  return chromium.launch({ executablePath, args, env });
}

/** Opens a page with a player and loads a stream. */
export async function openPlayer(
  browser: Browser,
  pages: PlayerPages,
  player: PlayerName,
  url: string,
): Promise<OpenPlayer> {
  const page = await browser.newPage();
  await page.goto(pages.urlOf(player));
  await page.evaluate(`adapter.attach(${JSON.stringify(url)})`);
  return new OpenPlayer(page, player);
}
