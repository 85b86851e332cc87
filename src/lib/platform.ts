/** The bundler replaces `process.platform` by the system of the build and drops the branches of all others: it cannot see this. */
export const PLATFORM = Reflect.get(process, "platform") as NodeJS.Platform;

export const IS_WINDOWS = PLATFORM === "win32";
export const IS_LINUX = PLATFORM === "linux";
