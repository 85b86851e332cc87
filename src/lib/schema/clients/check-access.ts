import type { ClientSeverity } from "../../contract/client-verdict";
import type { ClientRemedy } from "../../contract/client-verdict-schema";
import { INTERACTION_KINDS, type InteractionKind } from "../../contract/interaction-kinds";
import { formatPlural } from "../../format/count";
import { type CheckedTool, listNames } from "./check-tool";
import { type ClientFeature, type ClientProfile, SUPPORTS, type Support } from "./client-profile";
import { CLIENT_SOURCES, type ClientSourceId } from "./client-sources";

/** The ways to reach Toolroom, and its offers beside tools. */
export interface ServedAccess {
  /** The name of Toolroom in the client's configuration. */
  serverName: string;
  /** Whether its address is on the internet. */
  isPublic: boolean;
  /** Whether callers need an account. */
  needsAccount: boolean;
  /** Clients can sign in through the browser. */
  offersSignIn: boolean;
  offers: readonly ("resources" | "prompts")[];
}

interface AccessFault {
  check: "address" | "sign-in" | "apps" | "resources" | "prompts" | (typeof ASKED)[InteractionKind]["check"];
  severity: ClientSeverity;
  where: string;
  message: string;
  remedy: ClientRemedy | null;
  source: { url: string; readOn: string } | null;
}

/** Whether a client has a feature, and where that is written; null where it is not documented. */
export function findSupport(
  { features }: ClientProfile,
  feature: ClientFeature,
): { support: Support; source: ClientSourceId } | null {
  for (const facts of features) {
    const support = SUPPORTS.find((each) => facts[each]?.includes(feature));
    if (support !== undefined) return { support, source: facts.source };
  }
  return null;
}

/** Checks what keeps a client from Toolroom, and what it does not show of it. Programs bring model APIs their tools themselves. */
export function findAccessFaults(
  profile: ClientProfile,
  access: ServedAccess,
  tools: readonly CheckedTool[],
): AccessFault[] {
  if (profile.kind === "api") return [];
  return [
    checkAddress(profile, access),
    checkSignIn(profile, access),
    checkApps(profile, tools),
    ...INTERACTION_KINDS.map((kind) => checkAsked(profile, kind, tools)),
    ...access.offers.map((offer) => checkOffer(profile, offer)),
  ].filter((fault) => fault !== null);
}

function checkAddress(profile: ClientProfile, { isPublic }: ServedAccess): AccessFault | null {
  if (profile.kind !== "cloud" || isPublic) return null;
  const hasStdio = findSupport(profile, "stdio")?.support === "yes";
  const text = "Give Toolroom a public address with TOOLROOM_PUBLIC_URL";
  return {
    check: "address",
    severity: hasStdio ? "warns" : "refused",
    where: "",
    message: `${profile.label} connects from the internet, where this Toolroom has no address${hasStdio ? ": only its desktop program can use it" : ""}.`,
    remedy: { kind: "connect", text: hasStdio ? `${text}, or connect its desktop program over stdio.` : `${text}.` },
    source: readSource(profile, "http"),
  };
}

function checkSignIn(profile: ClientProfile, { needsAccount, offersSignIn }: ServedAccess): AccessFault | null {
  if (!needsAccount) return null;
  const signsIn = findSupport(profile, "oauth")?.support === "yes";
  const sendsHeaders = findSupport(profile, "headers")?.support === "yes";
  if (sendsHeaders && (signsIn || !offersSignIn)) return null;
  if (signsIn && offersSignIn) return null;
  if (sendsHeaders) {
    return {
      check: "sign-in",
      severity: "warns",
      where: "",
      message: `${profile.label} documents no sign-in through the browser: it needs an API token in its headers.`,
      remedy: { kind: "access", text: "Create an API token and put it into the client's configuration." },
      source: readSource(profile, "headers"),
    };
  }
  return {
    check: "sign-in",
    severity: "refused",
    where: "",
    message: `${profile.label} signs in through the browser, which this Toolroom does not offer to clients, and documents no headers for an API token.`,
    remedy: { kind: "access", text: "Set TOOLROOM_PUBLIC_URL, so that clients can sign in." },
    source: readSource(profile, "oauth"),
  };
}

function checkApps(profile: ClientProfile, tools: readonly CheckedTool[]): AccessFault | null {
  const count = tools.filter(({ hasApp }) => hasApp).length;
  const support = findSupport(profile, "apps");
  if (count === 0 || support?.support === "yes") return null;
  const known = support === null ? "documents no support for" : "does not show";
  return {
    check: "apps",
    severity: support === null ? "warns" : "dropped",
    where: "/_meta/ui",
    message: `${profile.label} ${known} MCP Apps: ${formatPlural(count, "tool")} would answer with text alone.`,
    remedy: null,
    source: support === null ? null : CLIENT_SOURCES[support.source],
  };
}

function checkOffer(profile: ClientProfile, offer: "resources" | "prompts"): AccessFault | null {
  const support = findSupport(profile, offer);
  if (support?.support !== "no") return null;
  return {
    check: offer,
    severity: "dropped",
    where: "",
    message: `${profile.label} does not show the ${offer} that are served with the tools.`,
    remedy: null,
    source: CLIENT_SOURCES[support.source],
  };
}

/** The requests of servers that a client may not answer. */
const ASKED = {
  form: { check: "forms", feature: "elicitation", what: "forms (elicitation)" },
  url: { check: "urls", feature: "urlElicitation", what: "requests to open a page (elicitation)" },
  sampling: { check: "sampling", feature: "sampling", what: "requests for a model's response (sampling)" },
} as const;

/** Finds the documented support of a client. One that shows no forms is assumed to open no pages, unless its documents say so. */
export function findAskSupport(profile: ClientProfile, kind: InteractionKind): ReturnType<typeof findSupport> {
  const found = findSupport(profile, ASKED[kind].feature);
  if (found !== null || kind !== "url") return found;
  const ofForms = findSupport(profile, "elicitation");
  return ofForms?.support === "no" ? ofForms : null;
}

function checkAsked(profile: ClientProfile, kind: InteractionKind, tools: readonly CheckedTool[]): AccessFault | null {
  const asking = tools.flatMap(({ name, asks }) => asks.flatMap((ask) => (ask.kind === kind ? { ...ask, name } : [])));
  const support = findAskSupport(profile, kind);
  if (asking.length === 0 || support?.support === "yes") return null;
  const { check, what } = ASKED[kind];
  const known =
    support === null ? `documents no answer to ${what}` : `answers ${support.support === "no" ? "no" : "some"} ${what}`;
  const users = kind !== "sampling" && asking.every(({ usersAnswer }) => usersAnswer);
  const end = users ? "People in the console answer while a page is open." : "Such calls fail.";
  return {
    check,
    severity: support?.support === "no" && !users ? "dropped" : "warns",
    where: "",
    message: `${profile.label} ${known}, which ${listNames([...new Set(asking.map(({ name }) => name))])} made. ${end}`,
    remedy: users ? null : { kind: "server", text: toAskRemedy(kind, asking[0]?.server ?? "") },
    source: support === null ? null : CLIENT_SOURCES[support.source],
  };
}

const toAskRemedy = (kind: InteractionKind, server: string): string =>
  kind === "sampling"
    ? `Have a model of Toolroom answer: 'Sampling' in the settings of ${server}.`
    : `Have people answer in the console: 'People answer for programs' in the settings of ${server}.`;

function readSource(profile: ClientProfile, feature: ClientFeature): AccessFault["source"] {
  const support = findSupport(profile, feature);
  return support === null ? null : CLIENT_SOURCES[support.source];
}
