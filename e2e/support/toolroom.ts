import { test } from "./fixtures";
import { type ExtraServer, launchServer } from "./server";

/** One Toolroom for all journeys of a file, with a database of its own; `prepare` puts into it what they share. */
export function shareToolroom(prepare?: (url: string) => Promise<void>): Pick<ExtraServer, "url"> {
  let server: Awaited<ReturnType<typeof launchServer>> | undefined;
  test.beforeAll(async () => {
    server = await launchServer();
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
