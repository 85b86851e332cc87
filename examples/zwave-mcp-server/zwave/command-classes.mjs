/** Numbers of the Z-Wave specification; the driver's own table would bring the whole driver into this process. */
export const COMMAND_CLASS = {
  binarySwitch: 0x25,
  multilevelSwitch: 0x26,
  binarySensor: 0x30,
  multilevelSensor: 0x31,
  meter: 0x32,
  configuration: 0x70,
  notification: 0x71,
  manufacturerSpecific: 0x72,
  nodeNaming: 0x77,
  battery: 0x80,
  version: 0x86,
};

/** The highest level a Multilevel Switch takes; 255 is not a level but "the last one". */
export const FULL_LEVEL = 99;

export const NODE_STATUS = ["unknown", "asleep", "awake", "dead", "alive"];
