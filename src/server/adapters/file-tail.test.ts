import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import type { LinePosition } from "./file-lines";
import { createFileTail } from "./file-tail";

let folder: string;
let file: string;
const open: { close(options: { handOver: boolean }): Promise<void> }[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-tail-"));
  mkdirSync(path.join(folder, "allowed"));
  file = path.join(folder, "allowed", "talk.txt");
});
afterEach(async () => {
  for (const tail of open.splice(0)) await tail.close({ handOver: false });
  rmSync(folder, { recursive: true, force: true });
});

function follow(position: LinePosition | null = null, given = file) {
  const heard = { lines: [] as string[], troubles: [] as (string | null)[], faults: [] as string[], position };
  const refusals = { left: 0 };
  const tail = createFileTail({ allowedFolders: [path.join(folder, "allowed")], pollMs: 10 }).watch(given, position, {
    async onLines(lines, reached) {
      if (refusals.left-- > 0) throw new Error("busy");
      heard.lines.push(...lines);
      heard.position = reached;
    },
    onTrouble: (reason) => heard.troubles.push(reason),
    onFault: (reason) => heard.faults.push(reason),
  });
  open.push(tail);
  return { heard, tail, refusals };
}
const until = (heard: { lines: string[] }, ...lines: string[]) => waitUntil(() => expect(heard.lines).toEqual(lines));

/** Resolves once another tail with the same interval has polled twice, so that every open tail has polled since. */
async function waitForPolls(): Promise<void> {
  const other = path.join(folder, "allowed", "other.txt");
  writeFileSync(other, "");
  const { heard } = follow(null, other);
  for (const line of ["one poll", "another poll"]) {
    appendFileSync(other, `${line}\n`);
    await waitUntil(() => heard.lines.at(-1) === line);
  }
}

describe("a file that is followed", () => {
  it("AGT-13 hands over whole lines as they are appended, and the last one when it is let go", async () => {
    writeFileSync(file, "one\r\ntw");
    const { heard, tail } = follow();
    await until(heard, "one");
    appendFileSync(file, "o\nthree\nfo");
    await until(heard, "one", "two", "three");
    await tail.close({ handOver: true });
    expect(heard.lines).toEqual(["one", "two", "three", "fo"]);
  });

  it("AGT-13 waits for the rest of a character that was written in two pieces", async () => {
    const bytes = Buffer.from("grün 😀\n");
    writeFileSync(file, bytes.subarray(0, 3));
    const { heard } = follow();
    await waitForPolls();
    appendFileSync(file, bytes.subarray(3, 8));
    await waitForPolls();
    appendFileSync(file, bytes.subarray(8));
    await until(heard, "grün 😀");
  });

  it("AGT-13 takes a line longer than its buffer in pieces, none of them cut in a character", async () => {
    const long = `a${"é".repeat(200_000)}`;
    writeFileSync(file, `${long}\nend\n`);
    const { heard } = follow();
    await waitUntil(() => expect(heard.lines.at(-1)).toBe("end"));
    expect(heard.lines.length).toBeGreaterThan(2);
    expect(heard.lines.slice(0, -1).join("")).toBe(long);
  });

  it("AGT-13 waits for a file that is not there yet, says so, and reads it when it is", async () => {
    const { heard } = follow();
    await waitUntil(() => expect(heard.troubles).toHaveLength(1));
    expect(heard.troubles[0]).toContain("source.path: the file does not exist");
    writeFileSync(file, "hello\n");
    await until(heard, "hello");
    await waitUntil(() => expect(heard.troubles.at(-1)).toBeNull());
  });

  it("AGT-13 reads a truncated file from its start, even when it has grown past the old position", async () => {
    writeFileSync(file, "one\ntwo\n");
    const { heard } = follow();
    await until(heard, "one", "two");
    truncateSync(file, 0);
    await waitForPolls();
    appendFileSync(file, "three\n");
    await until(heard, "one", "two", "three");
    writeFileSync(file, "a longer beginning\nthan before\n");
    await until(heard, "one", "two", "three", "a longer beginning", "than before");
  });

  it("AGT-13 reads the rest of a file that was rotated away, its open last line included, then the new one", async () => {
    writeFileSync(file, "one\n");
    const { heard } = follow();
    await until(heard, "one");
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, "two\nthree");
    await until(heard, "one", "two");
    writeFileSync(file, "four\n");
    await until(heard, "one", "two", "three", "four");
  });

  it("AGT-13 reads the next file of its name after a deletion", async () => {
    writeFileSync(file, "one\n");
    const { heard } = follow();
    await until(heard, "one");
    rmSync(file);
    await waitUntil(() => expect(heard.troubles.at(-1)).toContain("does not exist"));
    writeFileSync(file, "two\n");
    await until(heard, "one", "two");
  });

  it("AGT-13 continues at its position after a restart, and reads a replaced file from its start", async () => {
    writeFileSync(file, "one\n");
    const first = follow();
    await until(first.heard, "one");
    await first.tail.close({ handOver: false });
    appendFileSync(file, "two\n");
    const second = follow(first.heard.position);
    await until(second.heard, "two");
    await second.tail.close({ handOver: false });
    rmSync(file);
    writeFileSync(file, "une\nautre\n");
    await until(follow(second.heard.position).heard, "une", "autre");
  });

  it("AGT-13 reads the same lines again that could not be taken", async () => {
    writeFileSync(file, "one\n");
    const { heard, refusals } = follow();
    refusals.left = 2;
    await until(heard, "one");
  });

  it("AGT-13 leaves a file that a link has led out of its folder", async () => {
    writeFileSync(file, "one\n");
    writeFileSync(path.join(folder, "secret.txt"), "secret\n");
    const { heard } = follow();
    await until(heard, "one");
    rmSync(file);
    symlinkSync(path.join(folder, "secret.txt"), file);
    await waitUntil(() => expect(heard.faults).toHaveLength(1));
    expect(heard.faults[0]).toContain("TOOLROOM_TRANSCRIPT_FOLDERS");
    expect(heard.lines).toEqual(["one"]);
  });
});

describe("which files may be read", () => {
  const check = (given: string) =>
    createFileTail({ allowedFolders: [path.join(folder, "allowed"), path.join(folder, "later")] }).check(given);

  it("AGT-13 those below the folders, relative ones below the first, whether they exist or not", async () => {
    await check(file);
    await check("talk.txt");
    await check("deeper/talk.txt");
    await check(path.join(folder, "later", "talk.txt"));
    symlinkSync(path.join(folder, "allowed"), path.join(folder, "link"));
    await check(path.join(folder, "link", "talk.txt"));
  });

  it.each(["../secret.txt", "/etc/passwd", "", ".", "a/../../secret.txt", "out/talk.txt", "nowhere", "dir", "nul\0"])(
    "AGT-13 not %j: the message names the field",
    async (given) => {
      symlinkSync(folder, path.join(folder, "allowed", "out"));
      symlinkSync(path.join(folder, "missing"), path.join(folder, "allowed", "nowhere"));
      mkdirSync(path.join(folder, "allowed", "dir"));
      await expect(check(given)).rejects.toThrow(/^source\.path: /);
    },
  );
});
