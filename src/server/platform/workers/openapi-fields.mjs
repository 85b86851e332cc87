// Plain JavaScript: a worker thread loads this file directly.
import { isObject } from "./openapi-schema.mjs";

/** The arguments of one tool: names are taken in order, and a taken one gets its location as a prefix. */
export class Fields {
  /** @type {Map<string, unknown>} */
  #properties = new Map();
  /** @type {string[]} */
  #required = [];

  /** @param {string} name @param {string} where @param {unknown} schema @param {boolean} required */
  add(name, where, schema, required) {
    let arg = name;
    for (let number = 1; this.#properties.has(arg); number += 1) {
      arg = number === 1 ? `${where}_${name}` : `${where}_${name}_${number}`;
    }
    this.#properties.set(arg, schema);
    if (required) this.#required.push(arg);
    return arg;
  }

  schema() {
    const properties = Object.fromEntries(this.#properties);
    return { properties, ...(this.#required.length > 0 && { required: this.#required }) };
  }
}

/** A description for a schema without one. @param {unknown} schema @param {unknown} text */
export function withText(schema, text) {
  if (typeof text !== "string" || text === "" || !isObject(schema) || Object.hasOwn(schema, "description"))
    return schema;
  return { ...schema, description: text.slice(0, 1000) };
}
