// Ends in the middle of things. With the argument `at-once` it does so before it says a word.
import { serveStdio, text } from "./stdio-server.mjs";

const [when] = process.argv.slice(2);
if (when === "at-once") {
  process.stderr.write("cannot read config.toml\n");
  process.exit(2);
}

serveStdio({
  name: "dying",
  tools: [
    { name: "ok", run: () => text("alive") },
    {
      name: "exit",
      run: () => {
        process.stderr.write(`fatal: disk is full (token ${process.env.API_TOKEN ?? "none"})\n`, () => process.exit(3));
      },
    },
    {
      name: "kill",
      run: () => {
        process.stderr.write("out of memory soon\n", () => process.kill(process.pid, "SIGKILL"));
      },
    },
    { name: "close_stdout", run: () => void process.stdout.end() },
  ],
});
