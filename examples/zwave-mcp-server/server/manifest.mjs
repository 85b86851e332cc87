import { readFileSync } from "node:fs";

/** @type {{ version: string }} */
export default JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
