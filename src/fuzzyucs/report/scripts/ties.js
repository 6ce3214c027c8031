"use strict";
// Ties: a random index from 0 to n - 1 that depends on the seed of the model and the values of the
// record alone, by the same generator as in the library.

function drawOf(seed, positions, n) {
  const word = (x) => BigInt.asUintN(64, x);
  const mix = (state) => {
    let z = state;
    z = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  };
  const golden = 0x9e3779b97f4a7c15n;
  const bits = new DataView(new ArrayBuffer(8));
  let hash = BigInt(seed);
  for (const position of positions) {
    bits.setFloat64(0, Number.isNaN(position) ? -1 : position + 0);
    hash = mix(word(hash + golden)) ^ bits.getBigUint64(0);
  }
  const first = mix(word(hash + golden)), fourth = mix(word(hash + 4n * golden));
  const added = word(first + fourth);
  const next = word(word((added << 23n) | (added >> 41n)) + first);
  return Number(((next >> 32n) * BigInt(n)) >> 32n);
}
