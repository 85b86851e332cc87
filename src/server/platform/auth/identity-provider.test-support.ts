import { onTestFinished } from "vitest";
import { openIdProvider } from "../../../../e2e/support/openid-provider";

export { CLIENT } from "../../../../e2e/support/openid-provider";

/** An OpenID provider that ends with the test. */
export async function startOpenIdProvider(): ReturnType<typeof openIdProvider> {
  const provider = await openIdProvider();
  onTestFinished(provider.stop);
  return provider;
}
