import { isPlainObject } from "../../../lib/contract/json";
import { withMembers } from "../../../lib/json/known-text";

type MapUri = (uri: string) => string;

/**
 * A result with other URIs in its resource links, embedded resources, contents and `_meta.ui`; the result itself where
 * nothing changes.
 */
export function mapResultUris(result: Record<string, unknown>, map: MapUri): Record<string, unknown> {
  let mapped = mapMeta(result, map);
  if (Array.isArray(result.content))
    mapped = put(
      mapped,
      "content",
      mapEach(result.content, (one) => mapBlock(one, map)),
    );
  if (Array.isArray(result.contents)) {
    mapped = put(
      mapped,
      "contents",
      mapEach(result.contents, (one) => (isPlainObject(one) ? mapEntryUri(one, map) : one)),
    );
  }
  if (Array.isArray(result.messages)) {
    mapped = put(
      mapped,
      "messages",
      mapEach(result.messages, (one) => mapMessage(one, map)),
    );
  }
  return mapped;
}

/** Whether a tool's result names resources at all: most do not, and calls are many. */
export function namesResources({ content, _meta: meta }: { content?: unknown; _meta?: unknown }): boolean {
  if (isPlainObject(meta) && ("ui" in meta || "ui/resourceUri" in meta)) return true;
  return (
    Array.isArray(content) && content.some((block) => block?.type === "resource_link" || block?.type === "resource")
  );
}

/** `_meta.ui.resourceUri` of a tool, resource or result. */
export function mapMeta(entry: Record<string, unknown>, map: MapUri): Record<string, unknown> {
  const { _meta: meta } = entry;
  if (!isPlainObject(meta)) return entry;
  let mapped: Record<string, unknown> = meta;
  if (isPlainObject(meta.ui) && typeof meta.ui.resourceUri === "string") {
    mapped = put(mapped, "ui", put(meta.ui, "resourceUri", map(meta.ui.resourceUri)));
  }
  // The form of hosts from before the extension was settled.
  const flat = meta["ui/resourceUri"];
  if (typeof flat === "string") mapped = put(mapped, "ui/resourceUri", map(flat));
  return put(entry, "_meta", mapped);
}

function mapMessage(message: unknown, map: MapUri): unknown {
  if (!isPlainObject(message)) return message;
  const { content } = message;
  return put(
    message,
    "content",
    Array.isArray(content) ? mapEach(content, (one) => mapBlock(one, map)) : mapBlock(content, map),
  );
}

function mapBlock(block: unknown, map: MapUri): unknown {
  if (!isPlainObject(block)) return block;
  if (block.type === "resource_link") return mapEntryUri(block, map);
  if (block.type !== "resource" || !isPlainObject(block.resource)) return block;
  return put(block, "resource", mapEntryUri(block.resource, map));
}

function mapEntryUri(entry: Record<string, unknown>, map: MapUri): Record<string, unknown> {
  const mapped = mapMeta(entry, map);
  return typeof entry.uri === "string" ? put(mapped, "uri", map(entry.uri)) : mapped;
}

function mapEach(list: readonly unknown[], map: (one: unknown) => unknown): readonly unknown[] {
  let changed = false;
  const mapped = list.map((one) => {
    const other = map(one);
    changed ||= other !== one;
    return other;
  });
  return changed ? mapped : list;
}

function put(entry: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  return entry[key] === value ? entry : withMembers(entry, { [key]: value });
}
