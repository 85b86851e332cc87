import { crc32 } from "node:zlib";
import type { FolderFile } from "./skill-folder";

const LOCAL = 0x04_03_4b_50;
const CENTRAL = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
/** Version 2.0, as made on Unix, with names in UTF-8. */
const VERSION = 20;
const MADE_ON_UNIX = 0x03_00 | VERSION;
const UTF8 = 0x08_00;
/** The first day that the format has: equal files make equal archives. */
const DATE = 0x00_21;
const FILE_MODE = 0o100_644;

/** A zip archive of files in one folder, stored without compression. */
export function writeArchive(folder: string, files: readonly FolderFile[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes } of files) {
    const name = Buffer.from(`${folder}/${path}`);
    const shared = toSharedFields(name, bytes);
    const local = Buffer.concat([toUint32(LOCAL), shared, name, bytes]);
    const central = Buffer.alloc(46 - 4 - 2 - shared.length);
    // Comment, disk and internal attributes are 0.
    central.writeUInt32LE(FILE_MODE * 0x1_00_00, 6);
    central.writeUInt32LE(offset, 10);
    centrals.push(toUint32(CENTRAL), toUint16(MADE_ON_UNIX), shared, central, name);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The 26 bytes that both headers of a file have, from the version to the length of extra fields. */
function toSharedFields(name: Buffer, bytes: Uint8Array): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(UTF8, 2);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(bytes.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function toUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function toUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
