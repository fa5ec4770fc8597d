/**
 * A folder in the path of an address for webhooks, which ends with a slash then. A sender that decodes the path, joins its slashes, cuts it at a
 * semicolon, drops the last slash or changes its letters sends to another address. No address behind a proxy of the receiver has it, because a
 * proxy may do the same.
 */
export const unusualFolder = 'Shop%2BA%2FB;v=1//Hooks';
