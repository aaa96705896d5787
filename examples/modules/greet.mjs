/**
 * An execution module of your own in JavaScript: put it into a folder of `module_dirs`, and `greet.hello` is there.
 *
 * @type {import('./natrium-module').OwnModule}
 */
const greet = {
  name: 'greet',
  functions: {
    hello: {
      doc: 'Greets somebody.',
      params: [
        { name: 'who', type: 'str', doc: 'Whom to greet.' },
        { name: 'times', type: 'int', default: 1 },
      ],
      returns: 'the greeting',
      examples: ['greet.hello world', 'greet.hello world times=2'],
      run({ who, times }, { id }) {
        if (times > 9) throw Object.assign(new Error('that is enough'), { name: 'InvocationError' });
        return `hello ${who} from ${id}! `.repeat(times).trim();
      },
    },
  },
};

export default greet;
