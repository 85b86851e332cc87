import { test } from "./fixtures";
import { type ExtraServer, launchServer, type ServerOptions } from "./server";

interface ToolroomOptions {
  /** Puts into it what the journeys share. */
  prepare?: (url: string) => Promise<void>;
  /** Asked once the file's earlier `beforeAll` hooks have run; a new, empty database otherwise. */
  serverOptions?: () => ServerOptions;
}

/** One Toolroom for all journeys of a file or a group, with a database of its own. */
export function shareToolroom({ prepare, serverOptions }: ToolroomOptions = {}): Pick<ExtraServer, "url"> {
  let server: Awaited<ReturnType<typeof launchServer>> | undefined;
  test.beforeAll(async () => {
    server = await launchServer(serverOptions?.());
    await prepare?.(server.url);
  });
  test.afterAll(() => server?.dispose());
  return {
    get url() {
      if (!server) throw new Error("The shared Toolroom has not been started");
      return server.url;
    },
  };
}
