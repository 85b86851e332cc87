// For next.config.mjs: Next's stand-in for Node's `process` has timers that nothing in a browser calls. Its environment is read.
module.exports = () => "module.exports = { env: {} };";
