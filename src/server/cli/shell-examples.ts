import { IS_WINDOWS } from "../../lib/platform";

/** An example for the shell that users of this system have. */
export const chooseExample = (posix: string, powershell: string): string => (IS_WINDOWS ? powershell : posix);
