import { Writable } from "node:stream";

/**
 * Keeps stdout for the protocol: what anything in this process writes to `process.stdout`, `console.log` included, goes
 * to stderr from now on, and only the returned stream reaches the client. A native module that writes to the file
 * descriptor itself would get past this; none is loaded in this process.
 */
export function reserveStdout() {
  const { stdout, stderr } = process;
  const writeToClient = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A client that closes its end of stderr does not want to read it; that is no reason to fall over.
  stderr.on("error", () => {});

  const protocol = new Writable({
    write(chunk, _encoding, done) {
      writeToClient(chunk, (error) => done(error));
    },
  });
  stdout.on("error", (error) => protocol.destroy(error));
  return protocol;
}
