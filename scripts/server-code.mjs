import { applyLocations, IS_PACKAGE } from "./locations.mjs";
import { ensureDependencies, ensureNode, ensurePrismaClient } from "./setup.mjs";

/** For commands that run the server's TypeScript: the packages, the database client, and a loader of its modules. The package has bundles. */
export async function prepareServerCode() {
  ensureNode();
  applyLocations();
  if (IS_PACKAGE) return;
  await ensureDependencies();
  await ensurePrismaClient();
  await loadTypeScript();
}

/** From here on modules in TypeScript can be imported. */
export async function loadTypeScript() {
  const { register } = await import("tsx/esm/api");
  register();
}
