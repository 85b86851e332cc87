export { createHostPolicy } from "./host-policy";
export { judgeRequest } from "./judge-request";
export {
  APP_FRAME_HEADERS,
  contentSecurityPolicy,
  createNonce,
  FILE_HEADERS,
  SECURITY_HEADERS,
} from "./security-headers";
