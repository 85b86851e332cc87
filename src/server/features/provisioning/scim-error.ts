/** The kinds of bad requests of RFC 7644, section 3.12. */
export type ScimErrorType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** Why a request of an identity provider is refused. */
export class ScimError extends Error {
  override readonly name = "ScimError";
  constructor(
    readonly status: number,
    message: string,
    readonly type: ScimErrorType | null = null,
  ) {
    super(message);
  }
}

export const badRequest = (type: ScimErrorType, message: string): ScimError => new ScimError(400, message, type);

export const taken = (message: string): ScimError => new ScimError(409, message, "uniqueness");
