/** The names that model providers take; the same words wherever a name is written or sent. */
export const PROVIDER_NAME_RULE =
  "Providers accept up to 64 letters, digits, '_' and '-', beginning with a letter or '_'; any other name is sent as an alias.";
