// For `node --require` under Wine, where these options of a socket that is not connected yet make its connection fail.
const { Socket } = require("node:net");

for (const name of ["setKeepAlive", "setNoDelay", "setTypeOfService"]) {
  if (Socket.prototype[name] === undefined) continue;
  Socket.prototype[name] = function keepAsItIs() {
    return this;
  };
}
