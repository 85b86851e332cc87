import { Pencil, Plus, Search, X } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { Button, IconButton } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import type { JsonObject, JsonSchema, JsonValue } from "@/lib/contract/json";
import { childPointer, pointerToPath } from "@/lib/json/json-pointer";
import { describeField, type FieldDescription } from "@/lib/schema/describe/describe-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import { keySchema } from "@/lib/schema/key-schema";
import type { SchemaNode } from "@/lib/schema/resolve-ref";
import { ownValue } from "@/lib/schema/value-at";
import { type FaultNode, faultsBeneath, getChildFaults } from "./fault-tree";
import { FaultList } from "./field-hints";
import { focusSoon } from "./focus-field";
import { fieldId, useArgumentsForm } from "./form-context";
import { NameForm } from "./property-name-form";

/** A key that is there because someone put it there: of a map, or one the schema does not know. */
const KeyedEntry = memo(function KeyedEntry(props: KeyedEntryProps) {
  const { name, parent, schema, extra, value, faults, depth, taken } = props;
  const { dispatch, disabled, idPrefix, Field } = useArgumentsForm();
  const [renaming, setRenaming] = useState(false);
  const pointer = childPointer(parent, name);
  const path = pointerToPath(pointer);
  const actions = useMemo(
    () => (
      <>
        <IconButton
          icon={Pencil}
          id={`${fieldId(idPrefix, pointer)}-rename`}
          label={`Rename ${path}`}
          disabled={disabled}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          icon={X}
          label={`Remove ${path}`}
          disabled={disabled}
          onClick={() => {
            dispatch({ type: "unset", pointer });
            focusSoon(`${fieldId(idPrefix, parent)}-add`, fieldId(idPrefix, parent));
          }}
        />
      </>
    ),
    [path, pointer, parent, disabled, dispatch, idPrefix],
  );
  return (
    <div>
      <Field {...{ name, pointer, schema, value, faults, depth, extra, actions }} canBeAbsent={false} />
      {renaming && (
        <NameForm
          label={`New name for ${path}`}
          submitLabel="Rename"
          initial={name}
          taken={taken}
          onCancel={() => {
            setRenaming(false);
            focusSoon(`${fieldId(idPrefix, pointer)}-rename`);
          }}
          onSubmit={(to) => {
            setRenaming(false);
            dispatch({ type: "rename", pointer: parent, from: name, to });
            focusSoon(fieldId(idPrefix, childPointer(parent, to)));
          }}
        />
      )}
    </div>
  );
});

/** Above this number of fields, a search field appears. */
const SEARCH_FROM = 20;
/** Drawing this many fields takes the server about 100 ms, during which it does nothing else. */
const FIELDS_AT_ONCE = 200;

type Property = FieldDescription["properties"][number];

interface ObjectFieldProps {
  field: FieldDescription;
  pointer: string;
  value: JsonObject;
  faults: FaultNode;
  depth: number;
}

const ROOT_LABELS = { arguments: "Arguments", answer: "Answers" };

/** A schema that does not mention other keys rarely gets one: the offer shows while the form is pointed at or has the focus. */
const QUIET = "invisible group-focus-within/form:visible group-hover/form:visible [@media(hover:none)]:visible";

interface AddKeyProps {
  field: FieldDescription;
  pointer: string;
  taken: ReadonlySet<string>;
  isQuiet: boolean;
}

function AddKey({ field, pointer, taken, isQuiet }: AddKeyProps) {
  const { dispatch, root, disabled, idPrefix } = useArgumentsForm();
  const [open, setOpen] = useState(false);
  const id = `${fieldId(idPrefix, pointer)}-add`;
  const path = pointerToPath(pointer);
  if (!open) {
    return (
      <Button
        icon={Plus}
        id={id}
        variant="ghost"
        disabled={disabled}
        onClick={() => setOpen(true)}
        className={isQuiet ? `-ml-2 ${QUIET}` : "-ml-2"}
      >
        Add property
        {path !== "" && <span className="sr-only"> to {path}</span>}
      </Button>
    );
  }
  const close = () => {
    setOpen(false);
    focusSoon(id);
  };
  return (
    <NameForm
      label={path === "" ? "New property name" : `New property name in ${path}`}
      submitLabel="Add"
      taken={taken}
      onCancel={close}
      onSubmit={(name) => {
        const place = childPointer(pointer, name);
        const starting = emptyValue(describeField(keySchema(field, name).schema, root), root);
        setOpen(false);
        dispatch({ type: "set", pointer: place, value: starting });
        focusSoon(fieldId(idPrefix, place));
      }}
    />
  );
}

function matches(query: string, ...texts: (string | null)[]): boolean {
  const wanted = query.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted));
}

function findProperties({ properties }: FieldDescription, query: string, root: JsonSchema): readonly Property[] {
  if (query === "") return properties;
  return properties.filter(({ name, schema }) => {
    const { title, description } = describeField(schema, root);
    return matches(query, name, description, title);
  });
}

/** The first properties, and those after them that are required, have a value or are wrong, up to as many again. */
function limitProperties(
  properties: readonly Property[],
  limit: number,
  isNeeded: (property: Property) => boolean,
): readonly Property[] {
  if (properties.length <= limit) return properties;
  return [...properties.slice(0, limit), ...properties.slice(limit).filter(isNeeded).slice(0, FIELDS_AT_ONCE)];
}

function saysOtherKeys({ schema }: FieldDescription): boolean {
  return (
    typeof schema !== "boolean" &&
    (Object.hasOwn(schema, "additionalProperties") || Object.hasOwn(schema, "patternProperties"))
  );
}

/** The properties of a schema, then the keys that are there beside them. */
export function ObjectField({ field, pointer, value, faults, depth }: ObjectFieldProps) {
  const { root, purpose, Field } = useArgumentsForm();
  const [query, setQuery] = useState("");
  const [limit, setLimit] = useState(FIELDS_AT_ONCE);
  const known = new Set(field.properties.map((property) => property.name));
  const keys = Object.keys(value).filter((key) => !known.has(key));
  const total = field.properties.length + keys.length;
  const found = findProperties(field, query, root);
  const properties = limitProperties(
    found,
    limit,
    ({ name, required }) => required || Object.hasOwn(value, name) || faults.children.has(name),
  );
  const foundKeys = keys.filter((key) => matches(query, key));
  const entries = foundKeys.slice(0, limit);
  const hidden = found.length - properties.length + foundKeys.length - entries.length;
  const shown = new Set([...properties.map((property) => property.name), ...entries]);
  const names = JSON.stringify([...known, ...keys]);
  // Stays the same set while the names are the same, so that an edit of one entry does not render the others again.
  const taken = useMemo(() => new Set<string>(JSON.parse(names)), [names]);
  const path = pointerToPath(pointer);
  // Most schemas say nothing about other keys: in every nested object the offer would be noise.
  const offersKeys =
    field.takesKeys && ((depth === 0 && purpose === "arguments") || field.kind === "map" || saysOtherKeys(field));
  return (
    <fieldset
      aria-label={path === "" ? ROOT_LABELS[purpose] : path}
      className={depth > 0 ? "min-w-0 space-y-3.5 border-line2 border-l pl-3" : "min-w-0 space-y-3.5"}
    >
      {total > SEARCH_FROM && (
        <div className="relative">
          <Search size={15} className="absolute top-2 left-2 text-mute" />
          <Input
            type="search"
            value={query}
            aria-label={path === "" ? "Search fields" : `Search fields of ${path}`}
            placeholder={`Search ${total} fields`}
            onChange={(event) => setQuery(event.target.value)}
            className="pl-7.5!"
          />
        </div>
      )}
      {properties.map(({ name, schema, required }) => (
        <Field
          key={name}
          {...{ name, schema, required }}
          pointer={childPointer(pointer, name)}
          value={ownValue(value, name)}
          faults={getChildFaults(faults, name)}
          depth={depth + 1}
        />
      ))}
      {entries.map((name) => (
        <KeyedEntry
          key={`key ${name}`}
          {...{ name, taken, ...keySchema(field, name) }}
          parent={pointer}
          value={value[name] ?? null}
          faults={getChildFaults(faults, name)}
          depth={depth + 1}
        />
      ))}
      {hidden > 0 && (
        <Button variant="ghost" onClick={() => setLimit(limit + FIELDS_AT_ONCE)} className="-ml-2">
          Show more fields ({hidden} hidden)
        </Button>
      )}
      {shown.size === 0 && query !== "" && <p className="text-mute text-xs">No matching fields.</p>}
      {total === 0 && (
        <p className="text-mute text-xs">{depth === 0 ? "This tool takes no arguments." : "No properties."}</p>
      )}
      <FaultList faults={faultsBeneath(faults, (name) => shown.has(name))} withPath />
      {offersKeys && (
        <AddKey
          field={field}
          pointer={pointer}
          taken={taken}
          isQuiet={properties.length > 0 && !saysOtherKeys(field)}
        />
      )}
    </fieldset>
  );
}

interface KeyedEntryProps {
  name: string;
  parent: string;
  schema: SchemaNode;
  extra: boolean;
  value: JsonValue;
  faults: FaultNode;
  depth: number;
  taken: ReadonlySet<string>;
}
