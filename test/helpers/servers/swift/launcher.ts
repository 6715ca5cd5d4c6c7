/**
 * Starts the four servers of a cluster from one program: `launcher FOLDER PORT-OF-MEMCACHED`, with the configurations in the folder. It
 * imports everything and binds the ports before it forks, so that a cluster starts within a second and no other process can take a port.
 * Writes the port of the proxy to `proxy-port` once every server accepts connections. The servers end with it, also on SIGTERM.
 */
export const launcher = `
import ctypes, os, signal, socket, sys, traceback, warnings
warnings.simplefilter('ignore')
import eventlet
import eventlet.debug
# Before large imports, because it iterates over every existing object.
eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)
import pkg_resources
from swift.cli import ringbuilder
from swift.common import utils, wsgi

folder, memcached = sys.argv[1:]
names = ['account', 'container', 'object', 'proxy']
utils.set_swift_dir(folder)
for app in ['account', 'container', 'mem_object', 'proxy']:
    pkg_resources.load_entry_point('swift', 'paste.app_factory', app)

def bound():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(256)
    return listener

sockets = {name: bound() for name in names}
port = {name: sockets[name].getsockname()[1] for name in names}

def ring(*args):
    try:
        ringbuilder.main(['swift-ring-builder', *args])
    except SystemExit as end:
        # 1 is a warning, such as one device being no distribution.
        if end.code not in (0, 1):
            raise

os.dup2(os.open(os.path.join(folder, 'rings.log'), os.O_WRONLY | os.O_CREAT), 1)
for name in names[:3]:
    builder = os.path.join(folder, name + '.builder')
    ring(builder, 'create', '2', '1', '0')
    ring(builder, 'add', 'r1z1-127.0.0.1:%d/disk' % port[name], '1')
    ring(builder, 'rebalance')

with open(os.path.join(folder, 'proxy.conf'), 'a') as proxy:
    # A long timeout for a busy machine, as the proxy has.
    proxy.write('[filter:cache]\\nuse = egg:swift#memcache\\nmemcache_servers = 127.0.0.1:' + memcached + '\\n')
    proxy.write(''.join(way + '_timeout = 10\\n' for way in ['connect', 'pool', 'io']))
    proxy.write('error_suppression_limit = 1000\\n')

parent = os.getpid()
ready, ready_write = os.pipe()
children = []

def serve(name):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if os.getppid() != parent:
        return
    for other in names:
        if other != name:
            sockets[other].close()
    conf, logger, log_name = wsgi._initrp(os.path.join(folder, name + '.conf'), name + '-server')
    wsgi.run_server(conf, logger, sockets[name], {'log_name': log_name}, lambda: os.write(ready_write, b'.'))

def end(*_):
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(0)

signal.signal(signal.SIGTERM, end)
# A test that is killed ends nothing.
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
for name in names:
    child = os.fork()
    if child == 0:
        try:
            serve(name)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    children.append(child)
os.close(ready_write)
if all(os.read(ready, 1) for _ in names):
    with open(os.path.join(folder, 'proxy-port'), 'w') as file:
        file.write('TCP INET: %d\\n' % port['proxy'])
    os.wait()
end()
`;
