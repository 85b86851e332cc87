import { expect, it, onTestFinished } from "vitest";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { describeOpenError } from "./database-file";
import { DiskSpace } from "./disk-space";

const GIB = 1024 ** 3;

function watchDisk(total = 100 * GIB) {
  const disk = { free: total, total };
  const logger = recordingLogger();
  const space = new DiskSpace("/data/toolroom.db", logger, () => disk);
  onTestFinished(() => space.close());
  const set = (free: number) => {
    disk.free = free;
    space.check();
  };
  return { space, set, logger };
}

it("warns from 80% of the disk on, and refuses calls while there is still room for what must be written", () => {
  const { space, set } = watchDisk();
  set(21 * GIB);
  expect([space.problem(), space.state().warning]).toEqual([null, null]);
  set(19 * GIB);
  expect(space.problem()).toBeNull();
  expect(space.state().warning).toContain("81% of the disk of the database is used");
  set(60 * 1024 ** 2);
  expect(space.problem()).toMatch(/almost full.* free.*Settings → Storage/);
  set(30 * GIB);
  expect([space.problem(), space.state().warning]).toEqual([null, null]);
});

it("keeps a share of a small disk, and takes a failed write for a full one until the next write succeeds", () => {
  const { space, set } = watchDisk(100 * 1024 ** 2);
  set(12 * 1024 ** 2);
  expect(space.problem()).toBeNull();
  set(8 * 1024 ** 2);
  expect(space.problem()).toContain("almost full");
  set(50 * 1024 ** 2);
  space.noteWrite(true);
  expect(space.problem()).toContain("is full");
  space.noteWrite(false);
  expect(space.problem()).toBeNull();
});

it("says once in the log and to listeners that calls are refused, that they run again, and that there is room", () => {
  const { space, set, logger } = watchDisk();
  let changes = 0;
  space.onChange(() => {
    changes += 1;
  });
  for (const free of [19 * GIB, 18 * GIB, 1024 ** 2, 1024 ** 2, 19 * GIB, 90 * GIB]) set(free);
  expect(changes).toBe(4);
  expect(logger.lines.map(({ level, message }) => `${level} ${message.slice(0, 30)}`)).toEqual([
    "warn 81% of the disk of the databas",
    "error New calls are refused. The dis",
    "warn Calls run again. 81% of the di",
    "info The disk of the database has r",
  ]);
  expect(space.state()).toMatchObject({ warning: null, refusesCalls: false });
});

it("a system that does not tell leaves calls alone", () => {
  const space = new DiskSpace("/data/toolroom.db", recordingLogger(), () => {
    throw new Error("unsupported");
  });
  onTestFinished(() => space.close());
  expect([space.problem(), space.state()]).toEqual([
    null,
    { freeBytes: null, totalBytes: null, warning: null, refusesCalls: false },
  ]);
});

it.each(["SQLITE_IOERR_WRITE", "SQLITE_FULL"])(
  "a start that fails with %s says what to do and how much is free",
  (code) => {
    const error = describeOpenError(
      Object.assign(new Error("disk I/O error"), { code }),
      `${process.cwd()}/toolroom.db`,
    );
    expect(error.message).toMatch(/Free some space.*then start again\. .* are free on its disk\.$/);
  },
);
