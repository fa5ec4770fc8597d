/**
 * A folder in the path of an address for webhooks, which ends with a slash then. A sender that decodes the path, joins its slashes, cuts it at a
 * semicolon, drops the last slash, changes its letters, or escapes signs that need no escape, sends to another address. No address behind a proxy of the receiver has it, because a
 * proxy may do the same.
 */
export const unusualFolder = "Shop%2BA%2FB%2fC;v=1//Hooks%20of/it's:~me@home,a+b";

/**
 * A folder whose escapes may be written otherwise: with capital letters, or as the letters that they stand for. A sender may call it as it
 * would write it, and sign that or the path as it was given.
 */
export const escapedFolder = '%53hop%20%7eA%2fB%c3%a9';
