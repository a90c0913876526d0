/*
 * The build imports this file into every other one. So whatever the first screen needs becomes one chunk, which the chunks of
 * other screens take up too: the browser loads two scripts before the first table, however many screens there are.
 */
import './app';
