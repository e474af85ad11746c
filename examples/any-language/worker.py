"""A worker in Python, with nothing but its standard library: a client of the HTTP API, and a loop that converts scans."""
import datetime, hashlib, hmac, json, os, time, urllib.error, urllib.parse, urllib.request


class Problem(Exception):
    """An answer that is not 2xx: its status and its problem document."""

    def __init__(self, status, document):
        super().__init__(document.get("detail", str(document)))
        self.status, self.kind, self.document = status, document.get("type", "").rpartition(":")[2], document


class Jobs:
    """Calls the API at `url`; signs each request with AWS Signature Version 4."""

    def __init__(self, url, region, key, secret, token=None):
        self.url, self.region, self.key, self.secret, self.token = url.rstrip("/"), region, key, secret, token

    def enqueue(self, type, payload, **options):
        return self.call("POST", "/jobs", {"type": type, "payload": payload, **options})

    def fetch(self, worker, **options):
        return self.call("POST", "/fetch-and-lock", {"worker": worker, **options})["jobs"]

    def answer(self, job, verb, **fields):
        """verb: extend, complete, failure, error or unlock."""
        return self.call("POST", f"/jobs/{job['id']}/{verb}", {"lock": job["lock"], **fields})

    def call(self, method, path, body=None, query=None):
        for wait in (1, 2, 4, None):
            try:
                return self._send(method, path, body, query or {})
            except Problem as problem:
                # Only 503 may pass. A request that may have been applied is safe to repeat: the lock, a key or an id fences it.
                if problem.status != 503 or wait is None:
                    raise
                time.sleep(wait)

    def _send(self, method, path, body, query):
        data = b"" if body is None else json.dumps(body).encode()
        pairs = sorted(query.items())
        text = "&".join(f"{urllib.parse.quote(k, safe='-_.~')}={urllib.parse.quote(str(v), safe='-_.~')}" for k, v in pairs)
        request = urllib.request.Request(f"{self.url}{path}{'?' + text if text else ''}", data if body is not None else None, method=method)
        for name, value in self._signed(method, path, text, data).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Problem(error.code, json.loads(error.read() or b"{}")) from None

    def _signed(self, method, path, query, data):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        headers = {"content-type": "application/json", "host": urllib.parse.urlsplit(self.url).netloc, "x-amz-date": now}
        if self.token:
            headers["x-amz-security-token"] = self.token
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        canonical = "\n".join([method, path, query, lines, names, hashlib.sha256(data).hexdigest()])
        scope = f"{now[:8]}/{self.region}/lambda/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
        credential = f"Credential={self.key}/{scope}, SignedHeaders={names}, Signature={signature}"
        return {**headers, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


def from_environment():
    env = os.environ
    return Jobs(env["API_URL"], env["AWS_REGION"], env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env.get("AWS_SESSION_TOKEN"))


def work(jobs, worker, handle, polls=None):
    """Runs `handle` for one job after another; a poll that finds nothing is followed by a pause, which costs less than a wait."""
    while polls is None or (polls := polls - 1) >= 0:
        for job in jobs.fetch(worker, max=1, lockMs=60_000):
            try:
                jobs.answer(job, "complete", result=handle(job))
            except Problem as problem:
                print(f"{job['id']}: {problem}")  # 409: another worker has the job, or it has ended.
            except Exception as error:
                jobs.answer(job, "failure", message=str(error) or "failed", name=type(error).__name__)
            break
        else:
            time.sleep(0 if polls is not None else 5)


if __name__ == "__main__":
    work(from_environment(), "scanner", lambda job: {"pages": len(job["payload"]["file"])})
