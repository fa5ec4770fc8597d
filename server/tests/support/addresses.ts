/** Addresses to which nothing can be delivered, without their scheme: they have no host, or a port that there is none of. */
export const addressesWithoutHostOrPort = [
  '//',
  '///hook',
  '//?hook',
  '//#hook',
  '//:443/hook',
  '//user@/hook',
  '//user@:443/hook',
  '//shop.example:0/hook',
  '//shop.example:65536/hook',
  '//shop.example:99999',
  '//shop.example:443443?hook',
  '//1.2.3.999/hook',
  '//%20/hook',
];
