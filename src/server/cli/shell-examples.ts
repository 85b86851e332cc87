import { IS_WINDOWS } from "../../lib/platform";

/** An example for the shell that people use on this system. */
export const chooseExample = (posix: string, powershell: string): string => (IS_WINDOWS ? powershell : posix);
