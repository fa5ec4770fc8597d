/** The code and the message of success in the envelopes of all areas. */
export const success = { code: '00000', message: 'Success' } as const;
