/** What a program needs to find its way about; everything else of our own environment stays with us. */
const INHERITED = new Set([
  "PATH",
  "HOME",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TMP",
  "TEMP",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "XDG_RUNTIME_DIR",
  // Windows
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
]);

/** The environment of a server's process: the few variables above, and what its settings say. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    const upper = name.toUpperCase();
    // A value that begins so is a shell function, which a shell would run.
    if (value === undefined || value.startsWith("()")) continue;
    if (INHERITED.has(upper) || upper.startsWith("LC_")) environment[name] = value;
  }
  return { ...environment, ...configured };
}
