const TESTS = "\\.(test|spec|test-support)\\.tsx?$";
const DATABASE = "^src/server/db/|^node_modules/(@prisma|prisma|better-sqlite3)/";

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    forbid("no-cycles", "Nothing imports back.", {}, { circular: true }),
    {
      ...forbid(
        "no-folder-cycles",
        "Folders of components depend on each other in one direction; what two of them share lies in a folder below both.",
        { path: "^src/app/" },
        { circular: true },
      ),
      scope: "folder",
    },
    forbid(
      "resolvable",
      "Every import leads somewhere. The probe of other clients runs in a folder where its bench installs them.",
      { pathNot: "^bench/clients-probe\\.mjs$" },
      { couldNotResolve: true },
    ),
    forbid(
      "listed-packages",
      "A package that is imported is named in package.json.",
      {},
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    forbid(
      "lib-is-a-leaf",
      "src/lib runs anywhere: it imports itself and zod.",
      { path: "^src/lib/", pathNot: TESTS },
      { pathNot: "^src/lib/|^node_modules/zod/" },
    ),
    forbid(
      "engine-is-pure",
      "The engine sees lib, itself and zod: no Node built-ins, no framework, no database.",
      { path: "^src/server/engine/", pathNot: TESTS },
      { pathNot: "^src/(lib|server/engine)/|^node_modules/zod/" },
    ),
    forbid(
      "ui-knows-server-types-only",
      "Pages and components speak to the server through tRPC; route handlers and the server-component caller may import it.",
      { path: "^src/app/", pathNot: `${TESTS}|/route\\.ts$|^src/app/_trpc/server\\.tsx?$` },
      { path: "^src/server/", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "no-zod-in-the-browser",
      "The index of the contract brings zod with it: a value is imported from its own file.",
      { path: "^src/app/", pathNot: `${TESTS}|/route\\.ts$|^src/app/_trpc/server\\.tsx?$` },
      { path: "^src/lib/contract/index\\.ts$", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "one-link",
      "A link prefetches when it is pointed at; Next's own requests every page that a link in view leads to.",
      { path: "^src/app/", pathNot: "^src/app/_ui/link\\.tsx$" },
      { path: "^node_modules/next/link" },
    ),
    forbid(
      "server-knows-no-ui",
      "Nothing on the server imports a page or a component.",
      { path: "^src/(server|lib)/" },
      { path: "^src/app/" },
    ),
    forbid(
      "routers-call-services",
      "A router is input, one service call, nothing else.",
      { path: "^src/server/api/", pathNot: TESTS },
      { path: `^src/server/(engine|adapters|gateway)/|-store\\.ts$|${DATABASE}` },
    ),
    forbid(
      "database-is-an-adapter",
      "Only db/ knows the database. composition/ opens it and constructs the stores.",
      { path: "^src/", pathNot: `${TESTS}|^src/server/(db|composition)/` },
      { path: DATABASE },
    ),
    forbid(
      "db-implements-stores",
      "db/ implements store interfaces of other folders and takes only types from them.",
      { path: "^src/server/db/", pathNot: TESTS },
      { path: "^src/server/(features|coordination|gateway)/", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "features-stay-apart",
      "A feature does not reach into another feature's folder; its types may be named.",
      { path: "^src/server/features/([^/]+)/", pathNot: TESTS },
      { path: "^src/server/features/", pathNot: "^src/server/features/$1/", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "adapters-know-ports-only",
      "An adapter implements a port for one outside thing; of our own code it knows ports and contracts.",
      { path: "^src/server/adapters/", pathNot: TESTS },
      {
        path: "^src/",
        pathNot:
          "^src/(lib|server/adapters)/|^src/server/shared/(judge-incoming|watch-reader)\\.ts$|^src/server/engine/((mcp-|agent/chat-|lens/lens-)?ports|failures)\\.ts$",
      },
    ),
    forbid(
      "coordination-knows-ports-only",
      "Coordination sees lib, shared code and the engine's ports; what it keeps goes through its storage port.",
      { path: "^src/server/coordination/", pathNot: TESTS },
      {
        pathNot: "^src/lib/|^src/server/(coordination|shared)/|^src/server/engine/ports\\.ts$",
        dependencyTypesNot: ["core"],
      },
    ),
    forbid(
      "services-take-ports",
      "Services and stores receive adapters, the container and the API as ports.",
      { path: "^src/server/(features|db)/", pathNot: TESTS },
      { path: "^src/server/(adapters|api|composition)/" },
    ),
    forbid(
      "features-know-no-gateway",
      "The gateway calls services, never the other way round.",
      { path: "^src/server/features/", pathNot: TESTS },
      { path: "^src/server/gateway/" },
    ),
    forbid(
      "guards-are-small",
      "The proxy runs before everything: it imports lib and next, and asks the running container who is signed in.",
      { path: "^src/proxy\\.ts$" },
      { pathNot: "^src/lib/|^node_modules/next/|^src/server/composition/current-container\\.ts$" },
    ),
    forbid(
      "server-entry-imports-nothing-of-ours",
      "What server.mjs imported would be a second instance; it takes the container from globalThis.",
      { path: "^server\\.mjs$" },
      {
        pathNot: "^node_modules/next/|^scripts/(running-server|upgrade-handler|http-edge)\\.mjs$",
        dependencyTypesNot: ["core"],
      },
    ),
    forbid(
      "setup-needs-no-packages",
      "These run before node_modules exists.",
      { path: "^scripts/(setup|setup-lock|content-hash|run-command|entry-point|project-root|start|dev|build)\\.mjs$" },
      { pathNot: "^scripts/|^server\\.mjs$", dependencyTypesNot: ["core"] },
    ),
    forbid(
      "product-imports-no-tests",
      "What ships does not depend on tests, on their tools or on their servers.",
      { path: "^(src|server\\.mjs)", pathNot: TESTS },
      {
        path: `${TESTS}|^(e2e|bench)/|^scripts/(?!running-server|upgrade-handler|http-edge)|^node_modules/(vitest|@vitest|@playwright|@testing-library|fast-check|happy-dom|axe-core)/`,
      },
    ),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    // The generated client may be imported by those who may import the database, but has cycles of its own.
    doNotFollow: { path: "^node_modules|^src/server/db/generated/" },
    exclude: { path: "^\\.next/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
