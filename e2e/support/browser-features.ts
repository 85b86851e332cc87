import { createRequire } from "node:module";
import type { CompatData, Identifier, SimpleSupportStatement } from "@mdn/browser-compat-data";
import { type AnyNode, type CallExpression, type MemberExpression, type NewExpression, parse } from "acorn";
import postcss, { type Declaration, type Node } from "postcss";

const compatData = createRequire(import.meta.url)("@mdn/browser-compat-data") as CompatData;

type Browser = "chrome" | "edge" | "firefox" | "safari";
type Versions = ReadonlyMap<Browser, number>;

/** Safari of iOS has the engine of the same version; what it lacks besides is for mice and windows. */
const BROWSERS: Record<string, Browser | null> = {
  chrome: "chrome",
  edge: "edge",
  firefox: "firefox",
  safari: "safari",
  ios_saf: null,
};

/** Objects of the DOM whose members are told by their names alone. */
const INTERFACES = [
  "AbortSignal",
  "Animation",
  "Blob",
  "Document",
  "DocumentFragment",
  "Element",
  "Event",
  "EventTarget",
  "FormData",
  "Headers",
  "HTMLDialogElement",
  "HTMLElement",
  "HTMLInputElement",
  "HTMLSelectElement",
  "HTMLTextAreaElement",
  "KeyboardEvent",
  "MouseEvent",
  "Navigator",
  "Node",
  "PointerEvent",
  "Range",
  "ReadableStream",
  "Request",
  "Response",
  "Selection",
  "ShadowRoot",
  "URL",
  "URLSearchParams",
  "Window",
];

/** Reads `browserslist` of package.json, as the build does, in its one form `name >= version`. */
export function readVersions(list: readonly string[]): Versions {
  const versions = new Map<Browser, number>();
  for (const line of list) {
    const [, name = "", version] = /^(\w+) >= ([\d.]+)$/.exec(line) ?? [];
    const browser = BROWSERS[name];
    if (browser === undefined) throw new Error(`Not "<browser> >= <version>": ${line}`);
    if (browser !== null) versions.set(browser, Number(version));
  }
  return versions;
}

/** Features of JavaScript, the DOM and CSS by name, as MDN's data says in which versions each is. */
export class BrowserFeatures {
  readonly #versions: Versions;
  /** Whether some object has the method in every supported browser. */
  readonly #methods = new Map<string, boolean>();
  readonly #cssFunctions = new Map<string, boolean>();

  constructor(versions: Versions) {
    this.#versions = versions;
    const { api, javascript, css } = compatData;
    const objects = [
      ...listChildren(javascript.builtins ?? {}),
      ...INTERFACES.map((name) => [name, get(api, name) ?? {}] as const),
    ];
    for (const [, each] of objects) {
      for (const [name, member] of listChildren(each)) this.#note(this.#methods, name, member);
    }
    this.#collectFunctions(css.types as Identifier);
  }

  /** What a script uses that some supported browser lacks; its syntax is checked too. */
  listInScript(text: string): string[] {
    const program = parse(text, { ecmaVersion: 2024, sourceType: "module", allowReturnOutsideFunction: true });
    const declared = new Set<string>();
    const members: MemberExpression[] = [];
    const calls: (NewExpression | CallExpression)[] = [];
    walk(program, (node) => {
      if (
        node.type === "VariableDeclarator" ||
        node.type === "FunctionDeclaration" ||
        node.type === "ClassDeclaration"
      ) {
        if (node.id?.type === "Identifier") declared.add(node.id.name);
      } else if (node.type === "MemberExpression") members.push(node);
      else if (node.type === "NewExpression" || node.type === "CallExpression") calls.push(node);
    });
    const callees = calls.map(({ callee }) => callee);
    const called = new Set<AnyNode>(callees);
    const globals = callees.flatMap((callee) => {
      if (callee.type !== "Identifier" || declared.has(callee.name)) return [];
      const feature = get(compatData.javascript.builtins, callee.name) ?? get(compatData.api, callee.name);
      return feature === undefined || this.#isSupported(feature) ? [] : [callee.name];
    });
    const used = members.flatMap((member) => this.#checkMember(member, declared, called.has(member)) ?? []);
    return [...new Set([...globals, ...used])];
  }

  #checkMember(
    { object, property, computed }: MemberExpression,
    declared: ReadonlySet<string>,
    isCalled: boolean,
  ): string | null {
    if (computed || property.type !== "Identifier") return null;
    const { name } = property;
    const owner = object.type === "Identifier" && !declared.has(object.name) ? object.name : null;
    const known = owner === null ? null : findStatic(owner, name);
    if (known !== null) return this.#isSupported(known) ? null : `${owner}.${name}`;
    return isCalled && this.#methods.get(name) === false ? `.${name}()` : null;
  }

  #note(names: Map<string, boolean>, name: string, feature: Identifier): void {
    names.set(name, names.get(name) === true || this.#isSupported(feature));
  }

  #collectFunctions(group: Identifier): void {
    for (const [name, each] of listChildren(group)) {
      this.#note(this.#cssFunctions, name, each);
      this.#collectFunctions(each);
    }
  }

  /** What a stylesheet uses outside of `@supports` that some supported browser lacks. */
  listInStyles(text: string): string[] {
    const found = new Set<string>();
    const { css } = compatData;
    const check = (name: string, feature: Identifier | undefined): void => {
      if (feature !== undefined && !this.#isSupported(feature)) found.add(name);
    };
    postcss.parse(text).walk((node) => {
      if (isGuarded(node)) return;
      if (node.type === "atrule") check(`@${node.name}`, css["at-rules"]?.[node.name]);
      if (node.type === "rule") {
        for (const [, name = ""] of node.selector.matchAll(/(?<!\\):{1,2}([a-z][a-z-]+)/g))
          check(`:${name}`, css.selectors?.[name]);
      }
      if (node.type === "decl") this.#checkDeclaration(node, check, found);
    });
    return [...found];
  }

  #checkDeclaration(
    { prop, value }: Declaration,
    check: (name: string, feature: Identifier | undefined) => void,
    found: Set<string>,
  ): void {
    const property = prop.startsWith("-") ? undefined : compatData.css.properties?.[prop];
    check(prop, property);
    const words = new Set(value.match(/[a-z][a-z-]+/g));
    for (const [name, each] of listChildren(property ?? {})) if (words.has(name)) check(`${prop}: ${name}`, each);
    for (const [, name = ""] of value.matchAll(/([a-z][a-z-]+)\(/g)) {
      if (this.#cssFunctions.get(name) === false) found.add(`${name}()`);
    }
  }

  #isSupported(feature: Identifier): boolean {
    const compat = feature.__compat;
    if (compat === undefined) return true;
    return [...this.#versions].every(([browser, version]) => {
      const support = compat.support[browser];
      const statements = Array.isArray(support) ? support : support === undefined ? [] : [support];
      return (statements as SimpleSupportStatement[]).some(
        ({ version_added, version_removed, flags, prefix, alternative_name }) =>
          version_removed === undefined &&
          flags === undefined &&
          prefix === undefined &&
          alternative_name === undefined &&
          typeof version_added === "string" &&
          Number.parseFloat(version_added.replace("≤", "")) <= version,
      );
    });
  }
}

const INSTANCES: Record<string, string> = {
  document: "Document",
  globalThis: "Window",
  navigator: "Navigator",
  self: "Window",
  window: "Window",
};

/** A member of a global object by both names; null where MDN does not know it. */
function findStatic(owner: string, name: string): Identifier | null {
  const { api, javascript } = compatData;
  const instance = INSTANCES[owner];
  if (instance !== undefined) return get(get(api, instance), name) ?? null;
  const group = get(javascript.builtins, owner) ?? get(api, owner);
  return get(group, name) ?? get(group, `${name}_static`) ?? null;
}

function get(group: unknown, name: string): Identifier | undefined {
  return Object.hasOwn(Object(group), name) ? (group as Record<string, Identifier>)[name] : undefined;
}

function listChildren(group: object): [string, Identifier][] {
  return Object.entries(group as Record<string, Identifier>).filter(([name]) => name !== "__compat");
}

function isGuarded(node: Node): boolean {
  for (let around: Node | undefined = node; around !== undefined; around = around.parent) {
    if (around.type === "atrule" && (around as unknown as { name: string }).name === "supports") return true;
  }
  return false;
}

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  const stack: unknown[] = [node];
  while (stack.length > 0) {
    const each = stack.pop();
    if (Array.isArray(each)) stack.push(...each);
    else if (typeof each === "object" && each !== null) {
      if ("type" in each && typeof each.type === "string") visit(each as AnyNode);
      stack.push(...Object.values(each));
    }
  }
}
