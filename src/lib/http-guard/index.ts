export { createHostPolicy, guardRequest } from "./host-policy";
export {
  APP_FRAME_HEADERS,
  contentSecurityPolicy,
  createNonce,
  FILE_HEADERS,
  SECURITY_HEADERS,
} from "./security-headers";
