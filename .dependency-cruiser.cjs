const { readdirSync, readFileSync } = require("node:fs");

const TESTS = "\\.(test|spec|test-support)\\.tsx?$";
/** Where SQL stands. */
const STORES = "^src/server/(platform|(?:calls|features)/[^/]+)/db/";
const DATABASE = `${STORES}|^node_modules/(@prisma|prisma|better-sqlite3|pg|pg-boss)/|^scripts/sqlite\\.mjs$`;

const CONTRACT = "src/lib/contract";
const withZod = readdirSync(CONTRACT).filter((file) =>
  readFileSync(`${CONTRACT}/${file}`, "utf8").includes('from "zod"'),
);
const ZOD = `^${CONTRACT}/(${withZod.map((file) => file.replace(".", "\\.")).join("|")})$`;

/** From the lowest to the highest: a room imports from itself and from those before it. */
const ROOMS = {
  contract: "^src/lib/contract/",
  lib: "^src/lib/(?!contract/|schema/)",
  schema: "^src/lib/schema/",
  engine: "^src/server/engine/",
  platform: "^src/server/platform/",
  "mcp, models and openapi": "^src/server/(mcp|models|openapi)/",
  calls: "^src/server/calls/",
  features: "^src/server/features/",
  main: "^src/server/main/",
  cli: "^src/server/cli/",
};

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const oneWay = Object.entries(ROOMS).map(([room, path], at, rooms) =>
  forbid(
    `one-way-from-${room.replaceAll(/\W+/g, "-")}`,
    `Imports go one way: ${Object.keys(ROOMS).join(" ← ")} ← app. The context of a procedure names all services, so its type comes from main.`,
    { path, pathNot: TESTS },
    {
      path: [...rooms.slice(at + 1).map(([, higher]) => higher), "^src/app/"],
      pathNot: room === "platform" ? "^src/server/main/api/context\\.ts$" : "^$",
    },
  ),
);

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
      "Every import leads somewhere. The probe of other clients and the agents of others run in a folder where their bench installs them.",
      { pathNot: "^bench/(?:clients-probe|cassette-agents)\\.mjs$" },
      { couldNotResolve: true },
    ),
    forbid(
      "listed-packages",
      "A package that is imported is named in package.json.",
      {},
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    ...oneWay,
    forbid(
      "lib-is-a-leaf",
      "src/lib runs anywhere: it imports itself, zod, and diff, which imports nothing.",
      { path: "^src/lib/", pathNot: TESTS },
      { pathNot: "^src/lib/|^node_modules/(zod|diff)/" },
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
      "Pages and components, and contracts without zod, take only types from a contract that brings zod with it.",
      { path: "^src/(app|lib/contract)/", pathNot: `${TESTS}|/route\\.ts$|^src/app/_trpc/server\\.tsx?$|${ZOD}` },
      { path: ZOD, dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "one-link",
      "A link prefetches when it is pointed at; Next's own requests every page that a link in view leads to.",
      { path: "^src/app/", pathNot: "^src/app/_ui/link\\.tsx$" },
      { path: "^node_modules/next/link" },
    ),
    forbid(
      "routers-call-services",
      "A router, and a route of the REST API, is input, one service call, nothing else.",
      { path: "-(router|routes|operations)\\.ts$|^src/server/main/api/", pathNot: TESTS },
      { path: `^src/server/(engine|mcp|models|openapi|platform/(?!shared/|api/))|-store\\.ts$|${DATABASE}` },
    ),
    forbid(
      "one-sqlite-driver",
      "scripts/sqlite.mjs chooses the driver of SQLite, and two of them in one process lose each other's locks; their types may be named.",
      { pathNot: "^scripts/sqlite\\.(mjs|test\\.ts)$" },
      { path: "^node_modules/better-sqlite3", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "operations-on-demand",
      "The declarations of operations and their schemas take 30 MB: the container loads them with the first use of one of Toolroom's own tools; commands take those that they run.",
      {
        path: "^src/server/(main/(?!api/|create-api-token|open-catalog)|features/agent-tools/(?!.*-operations)|mcp/)",
        pathNot: TESTS,
      },
      {
        path: "^src/server/main/api/operations\\.ts$|-operations\\.ts$",
        dependencyTypesNot: ["type-only", "dynamic-import"],
      },
    ),
    forbid(
      "database-is-an-adapter",
      "Only the db folders know the database. main/ opens it and constructs the stores.",
      { path: "^src/", pathNot: `${TESTS}|${STORES}|^src/server/main/` },
      { path: DATABASE },
    ),
    forbid(
      "db-implements-stores",
      "A db folder implements store interfaces and takes only types of other folders.",
      { path: STORES, pathNot: TESTS },
      {
        path: "^src/server/(calls/|features/|platform/coordination/|mcp/)",
        pathNot: STORES,
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "features-stay-apart",
      "A noun does not reach into another noun's folder; its types may be named. A store's transaction may need the statements of another store.",
      { path: "^src/server/(?:calls|features)/([^/]+)/", pathNot: `${TESTS}|${STORES}` },
      {
        path: "^src/server/(calls|features)/",
        pathNot: "^src/server/(calls|features)/$1/",
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "commands-speak-to-a-server",
      "A command of the command line asks the REST API; only what needs the database's own files, the files of other clients, and a check without a Toolroom, is its own work. What it asks, an operation declares.",
      { path: "^src/server/cli/(?!wrap/|check/)", pathNot: TESTS },
      {
        path: "^src/server/(?!cli/|(?:calls|features)/[^/]+/[^/]+-(?:operations|output)\\.ts$|platform/api/(?:operation|operation-command|place-input|schema-kind)\\.ts$|main/(backup-database|create-api-token|env|move-database|serve-cassette-file)\\.ts$)",
      },
    ),
    forbid(
      "adapters-know-ports-only",
      "An adapter implements a port for one outside thing; of the engine and of coordination it knows ports and contracts.",
      { path: "^src/server/(mcp/client|models|openapi|platform/(?!db/|coordination/|shared/|api/))", pathNot: TESTS },
      {
        path: "^src/server/engine/|^src/server/platform/(db|coordination|api)/",
        pathNot:
          "^src/server/engine/((mcp-|agent/chat-|changes/traffic-|lens/lens-|rules/rule-)?ports|failures)\\.ts$|" +
          "^src/server/platform/coordination/(bulletin|instances|forwarding|locks)\\.ts$",
      },
    ),
    forbid(
      "coordination-knows-ports-only",
      "Coordination sees lib, shared code and the engine's ports; what it keeps goes through its storage port.",
      { path: "^src/server/platform/coordination/", pathNot: TESTS },
      {
        pathNot: "^src/lib/|^src/server/platform/(coordination|shared)/|^src/server/engine/ports\\.ts$",
        dependencyTypesNot: ["core"],
      },
    ),
    forbid(
      "services-take-ports",
      "Services receive adapters as ports: of the platform they import shared code, coordination and, in routers, the API.",
      { path: "^src/server/(calls|features)/", pathNot: `${TESTS}|${STORES}` },
      { path: "^src/server/(mcp|models|openapi|platform/(?!shared/|coordination/|api/))" },
    ),
    forbid(
      "guards-are-small",
      "The proxy runs before everything: it imports lib and next, and asks the running container who is signed in.",
      { path: "^src/proxy\\.ts$" },
      { pathNot: "^src/lib/|^node_modules/next/|^src/server/main/current-container\\.ts$" },
    ),
    forbid(
      "server-entry-imports-nothing-of-ours",
      "What server.mjs imported would be a second instance; it takes the container from globalThis.",
      { path: "^server\\.mjs$" },
      {
        pathNot:
          "^node_modules/next/|^scripts/(running-server|upgrade-handler|http-edge|error-lines|control|base-path)\\.mjs$",
        dependencyTypesNot: ["core"],
      },
    ),
    forbid(
      "setup-needs-no-packages",
      "These run before node_modules exists.",
      {
        path: "^scripts/(setup|setup-lock|content-hash|run-command|entry-point|project-root|install-packages|locations|running-server|start|pack|image|dev|build)\\.mjs$",
      },
      { pathNot: "^scripts/|^server\\.mjs$", dependencyTypesNot: ["core"] },
    ),
    forbid(
      "product-imports-no-tests",
      "What ships does not depend on tests, on their tools or on their servers.",
      { path: "^(src|server\\.mjs)", pathNot: TESTS },
      {
        path: `${TESTS}|^(e2e|bench)/|^scripts/(?!running-server|control|program|move-file|sqlite|base-path|postgres-address|upgrade-handler|http-edge|error-lines)|^node_modules/(vitest|@vitest|@playwright|@testing-library|fast-check|happy-dom|axe-core)/`,
      },
    ),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    // The generated client may be imported by those who may import the database, but has cycles of its own.
    doNotFollow: { path: "^node_modules|^src/server/platform/db/generated(-postgres)?/" },
    exclude: { path: "^\\.next/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
