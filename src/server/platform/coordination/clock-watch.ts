import type { Clock, Logger } from "../../engine/ports";
import type { Jobs } from "./jobs";

const WATCH_JOB = "clock.watch";
const NEWEST_SETTING = "clock.newest";
const WATCH_EVERY_MS = 60_000;
/** How often the newest time is stored. */
const NOTE_EVERY_MS = 10 * 60_000;
/** The clocks of several instances of the server differ by less. */
const TOLERANCE_MS = 60_000;

export interface ClockWatchPorts {
  jobs: Pick<Jobs, "repeat">;
  settings: { read(key: string): Promise<string | null>; write(key: string, value: string): Promise<void> };
  clock: Pick<Clock, "now">;
  logger: Logger;
}

/** Brings stored times back within their rules; runs again where it fails, so it changes nothing that is within them. */
export type SetBackListener = (now: number) => Promise<void>;

export interface ClockWatch {
  /** Called after the clock was ahead and was put back: times that were stored in between are too late. */
  onSetBack(listener: SetBackListener): void;
}

/** Compares the clock with the newest time that any start of the server has stored. */
export function createClockWatch({ jobs, settings, clock, logger }: ClockWatchPorts): ClockWatch {
  const listeners: SetBackListener[] = [];

  async function check(): Promise<void> {
    const newest = Number((await settings.read(NEWEST_SETTING)) ?? 0);
    const now = clock.now();
    if (now < newest - TOLERANCE_MS) {
      logger.warn({ bySeconds: Math.round((newest - now) / 1000) }, "The clock was put back: stored times are checked");
      for (const listener of listeners) await listener(now);
    } else if (now - newest < NOTE_EVERY_MS) return;
    await settings.write(NEWEST_SETTING, String(now));
  }

  jobs.repeat(WATCH_JOB, WATCH_EVERY_MS, check, { staysInside: true });
  return { onSetBack: (listener) => void listeners.push(listener) };
}
