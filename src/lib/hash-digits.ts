/**
 * 8 hexadecimal digits of two mixed multiplicative hashes. Fast and well distributed, but not collision-resistant: nothing
 * may rely on it for security.
 */
export function hashDigits(text: string): string {
  let one = 0x9e3779b9;
  let other = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x27d4eb2d);
    other = Math.imul(other ^ unit, 0x165667b1);
  }
  one = Math.imul(one ^ (one >>> 15) ^ text.length, 0x2c1b3c6d) ^ Math.imul(other ^ (other >>> 13), 0x297a2d39);
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b);
  return ((one ^ (one >>> 13)) >>> 0).toString(16).padStart(8, "0");
}
