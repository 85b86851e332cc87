import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Times are shown in the viewer's zone: tests view from one.
process.env.TZ = "UTC";

/**
 * Files with a DOM come last. A worker ends, and another loads all modules again, whenever the next file wants another
 * environment: mixed, 344 files took 94 workers and a third of the processor's time. First come suites of stores, which
 * are a few lines that take a minute: begun last, they would run alone.
 */
class ByEnvironment extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const toRank = ({ moduleId }: TestSpecification): number => {
      const text = readFileSync(moduleId, "utf8");
      return text.includes("@vitest-environment") ? 2 : text.includes("describeOnBoth(") ? 0 : 1;
    };
    const ranked = (await super.sort(files)).map((file) => ({ file, rank: toRank(file) }));
    return ranked.sort((one, other) => one.rank - other.rank).map(({ file }) => file);
  }
}

export default defineConfig({
  resolve: { alias: { "@": path.resolve(import.meta.dirname, "src") } },
  test: {
    include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "examples/*/*.test.ts"],
    // Component tests ask for a DOM with a `@vitest-environment happy-dom` comment of their own.
    environment: "node",
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // One more than the smallest machine has cores: tests wait for processes and timers a third of their time.
    maxWorkers: 3,
    // Room for young objects: a worker spent a sixth of its time on collecting them.
    execArgv: ["--max-semi-space-size=64"],
    // Modules are loaded once per worker: loading them for each file took longer than the tests. A module's own hooks run for the first file only.
    isolate: false,
    sequence: { sequencer: ByEnvironment },
    globalSetup: ["scripts/test-sample.ts", "scripts/test-temp-folder.ts", "scripts/test-postgres.ts"],
    setupFiles: ["scripts/test-file-setup.ts"],
    // `npm run coverage`: the loop that lets models call tools is covered nearly whole, and stays so.
    coverage: {
      include: [
        "src/server/engine/agent/{execution-engine,function-invoking-client,function-result,call-tracker}.ts",
        "src/server/engine/agent/invocation-*.ts",
      ],
      exclude: ["**/*.test-support.ts", "**/*.test.ts", "**/invocation-updates.ts"],
      reporter: ["text"],
      reportsDirectory: "node_modules/.cache/toolroom-coverage",
      thresholds: { lines: 90, perFile: true },
    },
  },
});
