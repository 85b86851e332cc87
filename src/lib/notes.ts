/** Returns the object itself, so that a derived class adds its private field to that object. */
class Identity {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field comes to an object that exists.
    return object;
  }
}

export interface Notes<Value> {
  get(object: object): Value | undefined;
  set(object: object, value: Value): void;
}

/**
 * Notes on objects, like a `WeakMap`, for large values of objects that die young: what a `WeakMap` holds survives each collection of
 * the young generation and fills the old one.
 */
export function createNotes<Value>(): Notes<Value> {
  return class Note extends Identity {
    #value: Value;

    constructor(object: object, value: Value) {
      super(object);
      this.#value = value;
    }

    static get(object: object): Value | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: object, value: Value): void {
      if (#value in object) object.#value = value;
      else new Note(object, value);
    }
  };
}
