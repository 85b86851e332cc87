import { toPlainConfig } from "./client-config";
import { describePostgresError } from "./open-error";
import { TextClient } from "./text-client";

/**
 * Runs work on a separate connection, which ends with it.
 * @param purpose names it in the server's list of connections
 * @throws DatabaseOpenError with a reason for users where the database cannot be reached
 */
export async function withPlainClient<T>(
  url: string,
  purpose: string,
  work: (client: TextClient) => Promise<T>,
): Promise<T> {
  const client = new TextClient(toPlainConfig(url, purpose));
  // An error that ends the connection also fails the running statement.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw describePostgresError(error, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
