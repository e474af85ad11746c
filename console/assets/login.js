// Changes the token of the link's fragment for a cookie. The fragment leaves the address at once, so that no history keeps it.
const said = document.getElementById('said');
const token = location.hash.slice(1);
history.replaceState(null, '', '/login');

if (token === '') {
  said.textContent = 'Open the link that the terminal printed: it holds the key of this console.';
} else {
  try {
    const answer = await fetch('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    const { message, key } = await answer.json();
    if (answer.ok) {
      // Cookies go to every port of this machine; what a browser stores for an origin does not.
      localStorage.setItem('nightcrew-key', key);
      location.replace('/');
    } else said.textContent = message;
  } catch {
    said.textContent = 'The console does not answer. Is it still running in the terminal?';
  }
}
