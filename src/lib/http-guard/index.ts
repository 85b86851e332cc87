<<<<<<< HEAD
export { createHostPolicy, judgeRequest } from "./host-policy";
=======
export { guardRequest } from "./guard-request";
export { createHostPolicy } from "./host-policy";
>>>>>>> 808e4bf6 (File names say checker, verdict, guard and instances, as the vocabulary does)
export {
  APP_FRAME_HEADERS,
  contentSecurityPolicy,
  createNonce,
  FILE_HEADERS,
  SECURITY_HEADERS,
} from "./security-headers";
